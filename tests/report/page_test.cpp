#include "mindgap/report/page.h"

#include <gtest/gtest.h>

#include <regex>

#include "mindgap/base/error.h"
#include "mindgap/report/html.h"

namespace mindgap::report {
namespace page_test {

Figure small_figure(const std::string& id = "visits") {
  return {id,
          "Where \"teams\" go",
          "<b>caption</b>",
          "a & b",
          {760, 100, "<rect class=\"bar\"/>"},
          {350, 100, "<rect class=\"bar\"/>"},
          {{"visits", {"", {"zone", "count"}, {{"</script><script>alert(1)</script>", "3"}, {"b", ""}}}}}};
}

Page page_with(std::vector<Block> blocks) {
  return {"A title", "A question", {{"Section", std::move(blocks)}}, "footer"};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Html, EscapesWhatHtmlWouldRead) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escaped(std::string("a\0b\x1b"
                                "c\n\t",
                                7)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd"
            "c\n\t");
  EXPECT_EQ(escaped("\xc3\xa9t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
}

TEST(Html, TablesPutNumbersToTheRight) {
  const std::string html = html_table({"T", {"name", "value"}, {{"<x>", "1.5"}, {"y", "-2"}}});
  EXPECT_NE(html.find("<caption>T</caption>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;x&gt;</td><td class=\"number\">1.5</td>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"col\" class=\"number\">value</th>"), std::string::npos);
  EXPECT_EQ(html_table({"", {"a"}, {{"1"}, {"2"}, {"3"}}}, 2).find("<td class=\"number\">3"),
            std::string::npos);
}

TEST(Html, FileNames) {
  EXPECT_EQ(file_stem("Plans, and: their VALUE"), "plans-and-their-value");
  EXPECT_EQ(file_stem("../\xc3\xa9"), "table");
  EXPECT_LE(file_stem(std::string(500, 'a')).size(), 60u);
}

TEST(Figure, CellsThatAreNumbersBecomeNumbers) {
  EXPECT_EQ(number_in("12"), 12);
  EXPECT_EQ(number_in("-.5e1"), -5);
  EXPECT_EQ(number_in("+2.5"), 2.5);
  for (const char* text : {"", "+", "+-1", "1 ", " 1", "nan", "inf", "1,5", "[1, 2]", "1e999", "0x10"})
    EXPECT_FALSE(number_in(text)) << text;
}

TEST(Figure, RefusesWhatCannotBeOnAPage) {
  const auto refused = [](const auto& change) {
    Figure figure = small_figure();
    change(figure);
    EXPECT_THROW(check_figure(figure), InvalidArgument) << figure.id;
    EXPECT_THROW(to_html(page_with({figure})), InvalidArgument);
  };
  refused([](Figure& figure) { figure.id = ""; });
  refused([](Figure& figure) { figure.id = "Visits of zones"; });
  refused([](Figure& figure) { figure.id = "a\"><script>"; });
  refused([](Figure& figure) { figure.data.push_back(figure.data[0]); });
  refused([](Figure& figure) { figure.data[0].name = "../visits"; });
  refused([](Figure& figure) { figure.data[0].table.rows[0].pop_back(); });
  EXPECT_NO_THROW(check_figure(small_figure()));
}

TEST(Page, IdsAreUnique) {
  EXPECT_THROW(to_html(page_with({small_figure(), small_figure()})), InvalidArgument);
  EXPECT_NO_THROW(to_html(page_with({small_figure(), small_figure("visits-2")})));
}

TEST(Page, EverythingIsEscapedAndInOrder) {
  const std::string html = to_html(
      page_with({Answer{"experiment", "Do <it>", "because & so", {{"gain", "1 [0, 2]"}}}, Paragraph{"a < b"},
                 Bullets{{"one", "<two>"}}, Table{"Plans", {"plan"}, {{"<i>"}}}, small_figure()}));
  for (const char* wanted :
       {"<h1>A title</h1>", "class=\"answer answer-experiment\"", "Do &lt;it&gt;", "because &amp; so",
        "<dt>gain</dt><dd>1 [0, 2]</dd>", "<p>a &lt; b</p>", "<li>&lt;two&gt;</li>", "<td>&lt;i&gt;</td>",
        "download=\"plans.csv\"", R"(role="img" aria-labelledby="visits-wide-title visits-wide-desc")",
        "<desc id=\"visits-narrow-desc\">a &amp; b</desc>", "download=\"visits.csv\"",
        "download=\"visits.svg\"", "name=\"viewport\"", "Where &quot;teams&quot; go"})
    EXPECT_NE(html.find(wanted), std::string::npos) << wanted;
  EXPECT_LT(html.find("Do &lt;it&gt;"), html.find("a &lt; b"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<b>caption"), std::string::npos);
  EXPECT_EQ(count(html, "<script"), 0u);
}

TEST(Page, AnAnswerOfAnotherKindIsPlain) {
  const std::string html = to_html(page_with({Answer{"\"><img src=x>", "h", "", {}}}));
  EXPECT_NE(html.find("<div class=\"answer\">"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
}

TEST(Page, LongDataIsATableOfItsFirstRows) {
  Figure figure = small_figure();
  for (int i = 0; i < 500; ++i) figure.data[0].table.rows.push_back({"zone", std::to_string(1000 + i)});
  const std::string html = to_html(page_with({figure}));
  EXPECT_NE(html.find("The first 200 of 502 rows"), std::string::npos);
  EXPECT_EQ(count(html, "<tr>"), 201u);
  const std::size_t at = html.find("visits.csv\" href=\"data:text/csv;charset=utf-8;base64,");
  ASSERT_NE(at, std::string::npos);  // the whole
  EXPECT_NE(html.find(base64(to_csv(figure.data[0].table)), at), std::string::npos);
}

// The page names nothing outside itself: every address is inside or a place on the page.
TEST(Page, NothingIsExternal) {
  const std::string html = to_html(page_with({small_figure(), Table{"t", {"a"}, {{"1"}}}}));
  const std::regex address(R"((src|href|action|srcset)\s*=\s*["']?([^"'\s>]*))");
  for (std::sregex_iterator at(html.begin(), html.end(), address), end; at != end; ++at)
    EXPECT_TRUE((*at)[2].str().starts_with("data:") || (*at)[2].str().starts_with("#") ||
                (*at)[2].str().find_first_of(":/") == std::string::npos)
        << at->str();
  // The name of SVG's namespace is an address that nobody asks.
  const std::string named = "xmlns=\"http://www.w3.org/2000/svg\"";
  std::string asked = html;
  for (std::size_t at = asked.find(named); at != std::string::npos; at = asked.find(named))
    asked.erase(at, named.size());
  EXPECT_FALSE(std::regex_search(asked, std::regex(R"((https?:)?//[a-z0-9.-]+\.[a-z]{2,})")));
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(Page, IsSmallAndAlwaysTheSame) {
  const Page page = page_with({small_figure()});
  EXPECT_EQ(to_html(page), to_html(page));
  EXPECT_LT(to_html(page).size(), 30'000u);
}

// A page needs no script, so none may run.
TEST(Page, NothingRuns) {
  const std::string html = to_html(page_with({small_figure(), Table{"t", {"a"}, {{"1"}}}}));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("script-src"), std::string::npos);
  EXPECT_FALSE(std::regex_search(html, std::regex(R"(<[a-z]+[^>]* on[a-z]+=)")));
}

// Both layouts are there; without a style sheet only the wide one is shown.
TEST(Page, PicturesAreInThePage) {
  const std::string html = to_html(page_with({small_figure()}));
  EXPECT_EQ(count(html, "<svg "), 2u);
  EXPECT_NE(html.find("class=\"narrow\" display=\"none\""), std::string::npos);
  EXPECT_NE(html.find("@media screen and (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_EQ(count(html, "<rect class=\"bar\"/>"), 2u);
}

TEST(Html, AHeaderWithoutAWordIsNone) {
  EXPECT_NE(
      html_table({"", {"", "claim"}, {{"a", "b"}}}).find("<tr><td></td><th scope=\"col\">claim</th></tr>"),
      std::string::npos);
}

// The test vectors of RFC 4648.
TEST(Html, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

}  // namespace page_test
}  // namespace mindgap::report
