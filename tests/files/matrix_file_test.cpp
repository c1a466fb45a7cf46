#include "mindgap/files/matrix_file.h"

#include "files/files.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace matrix_file_test {

class MatrixFile : public FileTest {
 protected:
  std::string message_of(const std::string& text) {
    const auto file = write("m.csv", text);
    return message([&] { read_square_matrix(file); });
  }
};

TEST_F(MatrixFile, ReadsRows) {
  const SquareMatrix matrix = read_square_matrix(write("m.csv", "1, 2.5\r\n-3e-1,0\r\n\n"));
  EXPECT_EQ(matrix.size, 2);
  EXPECT_EQ(matrix.entries, (std::vector<double>{1, 2.5, -.3, 0}));
  EXPECT_EQ(read_square_matrix(write("m.csv", "7")).entries, std::vector<double>{7});
}

TEST_F(MatrixFile, RefusesWhatIsNoSquareMatrix) {
  EXPECT_NE(message_of("1,2\n3\n").find("m.csv:2: a matrix with 2 columns"), std::string::npos);
  EXPECT_NE(message_of("1,2\n3,4\n5,6\n").find("m.csv:3"), std::string::npos);
  EXPECT_NE(message_of("1,2\n").find("1 rows and 2 columns"), std::string::npos);
  EXPECT_NE(message_of("").find("0 rows"), std::string::npos);
  EXPECT_NE(message_of("1,x\n3,4\n").find("(got 'x')"), std::string::npos);
  EXPECT_NE(message_of("1,inf\n3,4\n").find("finite"), std::string::npos);
  EXPECT_NE(message_of("1,\n3,4\n").find("m.csv:1"), std::string::npos);
}

}  // namespace matrix_file_test
}  // namespace mindgap::files
