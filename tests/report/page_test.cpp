#include "mindgap/report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "mindgap/base/error.h"
#include "mindgap/report/assets.h"
#include "mindgap/report/figure_json.h"
#include "mindgap/report/html.h"

namespace mindgap::report {
namespace page_test {

Figure small_figure(const std::string& id = "visits") {
  return {id,
          "Where \"teams\" go",
          "<b>caption</b>",
          "a & b",
          R"({"data": {"name": "visits"}, "mark": "bar"})",
          {{"visits", {"", {"zone", "count"}, {{"</script><script>alert(1)</script>", "3"}, {"b", ""}}}}}};
}

Page page_with(std::vector<Block> blocks) {
  return {"A title", "A question", {{"Section", std::move(blocks)}}, "footer"};
}

/// Without the bundle, whose own strings name places that nobody asks.
std::string own_part(std::string html) {
  const std::size_t at = html.find(bundle());
  if (at != std::string::npos) html.erase(at, bundle().size());
  return html;
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

TEST(FigureJson, CellsThatAreNumbersBecomeNumbers) {
  EXPECT_EQ(number_in("12"), 12);
  EXPECT_EQ(number_in("-.5e1"), -5);
  EXPECT_EQ(number_in("+2.5"), 2.5);
  for (const char* text : {"", "+", "+-1", "1 ", " 1", "nan", "inf", "1,5", "[1, 2]", "1e999", "0x10"})
    EXPECT_FALSE(number_in(text)) << text;
}

TEST(FigureJson, HoldsSpecificationAndDataOnce) {
  const std::string text = figure_json(small_figure());
  EXPECT_EQ(text.find('<'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["spec"]["mark"], "bar");
  EXPECT_EQ(json["data"][0]["name"], "visits");
  EXPECT_EQ(json["data"][0]["rows"][0][0], "</script><script>alert(1)</script>");
  EXPECT_EQ(json["data"][0]["rows"][0][1], 3);
  EXPECT_TRUE(json["data"][0]["rows"][1][1].is_null());
}

TEST(FigureJson, RefusesWhatCannotBeDrawn) {
  const auto refused = [](const auto& change) {
    Figure figure = small_figure();
    change(figure);
    EXPECT_THROW(check_figure(figure), InvalidArgument) << figure.spec << figure.id;
    EXPECT_THROW(to_html(page_with({figure})), InvalidArgument);
  };
  refused([](Figure& figure) { figure.id = ""; });
  refused([](Figure& figure) { figure.id = "Visits of zones"; });
  refused([](Figure& figure) { figure.id = "a\"><script>"; });
  refused([](Figure& figure) { figure.spec = "[1]"; });
  refused([](Figure& figure) { figure.spec = "{\"mark\": "; });
  refused([](Figure& figure) { figure.spec = ""; });
  refused(
      [](Figure& figure) { figure.spec = R"({"layer": [{"data": {"name": "routes"}, "mark": "line"}]})"; });
  refused([](Figure& figure) { figure.spec = R"({"data": {"name": 3}})"; });
  refused([](Figure& figure) { figure.spec = R"({"data": {"url": "https://example.org/x.csv"}})"; });
  refused([](Figure& figure) { figure.spec = R"({"encoding": {"href": {"field": "zone"}}})"; });
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
  const std::string html = own_part(to_html(
      page_with({Answer{"experiment", "Do <it>", "because & so", {{"gain", "1 [0, 2]"}}}, Paragraph{"a < b"},
                 Bullets{{"one", "<two>"}}, Table{"Plans", {"plan"}, {{"<i>"}}}, small_figure()})));
  for (const char* wanted :
       {"<h1>A title</h1>", "class=\"answer answer-experiment\"", "Do &lt;it&gt;", "because &amp; so",
        "<dt>gain</dt><dd>1 [0, 2]</dd>", "<p>a &lt; b</p>", "<li>&lt;two&gt;</li>", "<td>&lt;i&gt;</td>",
        "download=\"plans.csv\"", "role=\"img\" aria-label=\"a &amp; b\"", "download=\"visits.csv\"",
        "<noscript>", "name=\"viewport\"", "Where &quot;teams&quot; go"})
    EXPECT_NE(html.find(wanted), std::string::npos) << wanted;
  EXPECT_LT(html.find("Do &lt;it&gt;"), html.find("a &lt; b"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<b>caption"), std::string::npos);
  EXPECT_EQ(count(html, "<script"), count(html, "</script>"));
}

TEST(Page, AnAnswerOfAnotherKindIsPlain) {
  const std::string html = own_part(to_html(page_with({Answer{"\"><img src=x>", "h", "", {}}})));
  EXPECT_NE(html.find("<div class=\"answer\">"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
}

TEST(Page, LongDataIsATableOfItsFirstRows) {
  Figure figure = small_figure();
  for (int i = 0; i < 500; ++i) figure.data[0].table.rows.push_back({"zone", std::to_string(1000 + i)});
  const std::string html = own_part(to_html(page_with({figure})));
  EXPECT_NE(html.find("The first 200 of 502 rows"), std::string::npos);
  EXPECT_EQ(count(html, "<tr>"), 201u);
  EXPECT_EQ(count(html, ",1499]"), 1u);  // the whole, once, as JSON
}

// The page names nothing outside itself: every address is inside or a place on the page.
TEST(Page, NothingIsExternal) {
  const std::string html = own_part(to_html(page_with({small_figure(), Table{"t", {"a"}, {{"1"}}}})));
  const std::regex address(R"((src|href|action|srcset)\s*=\s*["']?([^"'\s>]*))");
  for (std::sregex_iterator at(html.begin(), html.end(), address), end; at != end; ++at)
    EXPECT_TRUE((*at)[2].str().starts_with("data:") || (*at)[2].str().starts_with("#") ||
                (*at)[2].str().find_first_of(":/") == std::string::npos)
        << at->str();
  EXPECT_FALSE(std::regex_search(html, std::regex(R"((https?:)?//[a-z0-9.-]+\.[a-z]{2,})")));
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(Page, IsSmallAndAlwaysTheSame) {
  const Page page = page_with({small_figure()});
  EXPECT_EQ(to_html(page), to_html(page));
  EXPECT_LT(to_html(page).size(), 1'500'000u);
  EXPECT_LT(to_html(page_with({Paragraph{"no picture"}})).size(), 30'000u);  // and no bundle
}

TEST(Bundle, IsWholeAndHasItsLicences) {
  const std::string text(bundle());
  EXPECT_GT(text.size(), 500'000u);
  for (const char* wanted : {"vega ", "vega-lite ", "vega-embed ", "University of Washington", "d3-array ",
                             "Mike Bostock", "Redistribution and use in source and binary forms"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
  EXPECT_EQ(text.find("</script"), std::string::npos);
  EXPECT_EQ(text.find("<!--"), std::string::npos);
  EXPECT_EQ(text.find("sourceMappingURL"), std::string::npos);
}

}  // namespace page_test
}  // namespace mindgap::report
