// Draws the figures of a page from the data that stands beside them, and makes the CSV links.
"use strict";
(() => {
  // Okabe and Ito's colours, those with the most contrast on white first; never alone: shapes and dashes differ too.
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#8A7A00"];
  const ink = "#1b1f24",
    quiet = "#55606b",
    line = "#d5dae0",
    grid = "#e8ebee";
  const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

  const theme = (width) => ({
    background: "#ffffff",
    font,
    padding: 2,
    view: { stroke: null },
    axis: {
      labelColor: ink,
      titleColor: quiet,
      labelFontSize: 12,
      titleFontSize: 12,
      titleFontWeight: "normal",
      domainColor: "#9aa3ad",
      tickColor: "#9aa3ad",
      gridColor: grid,
      labelPadding: 4,
      titlePadding: 8,
      labelOverlap: true,
    },
    axisX: width < 480 ? { titleAnchor: "end" } : {},
    axisY: { labelLimit: Math.max(110, Math.round(width * 0.34)) },
    legend: {
      orient: "top",
      direction: "horizontal",
      labelColor: ink,
      labelFontSize: 12,
      titleColor: quiet,
      titleFontSize: 12,
      titleFontWeight: "normal",
      symbolSize: 90,
      symbolStrokeWidth: 2,
      rowPadding: 4,
      columnPadding: 18,
      labelLimit: Math.max(120, Math.round(width * 0.4)),
      columns: Math.max(1, Math.floor(width / 150)),
      layout: { top: { anchor: "start", direction: width < 480 ? "vertical" : "horizontal" } },
    },
    header: {
      labelColor: ink,
      labelFontSize: 12,
      labelFontWeight: 600,
      title: null,
      labelAnchor: "start",
      labelLimit: 260,
    },
    range: {
      category: colours,
      ramp: { scheme: "blues" },
      heatmap: { scheme: "blues" },
      ordinal: { scheme: "blues" },
      symbol: [
        "circle",
        "square",
        "triangle-up",
        "diamond",
        "cross",
        "triangle-down",
        "triangle-right",
        "triangle-left",
      ],
    },
    line: { strokeWidth: 2 },
    text: { font, fontSize: 11, fill: ink },
    rule: { stroke: quiet },
  });

  const objects = ({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));

  const cell = (value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (columns, rows) => [columns, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");

  // The link's address is made when it is wanted: the data is in the page once.
  function offer(link, text) {
    link.href = "#" + link.download;
    link.addEventListener("click", () => {
      if (link.href.startsWith("blob:")) return;
      link.href = URL.createObjectURL(new Blob([text()], { type: "text/csv" }));
    });
    link.closest(".script-only").hidden = false;
  }

  async function save(figure, type) {
    const link = document.createElement("a");
    link.download = `${figure.id}.${type}`;
    link.href = await figure.view.toImageURL(type, type === "png" ? 2 : 1);
    link.click();
  }

  function saveButton(figure, type) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Save as ${type.toUpperCase()}`;
    button.addEventListener("click", () => save(figure, type));
    return button;
  }

  const axisRoom = 56; // for the numbers of an axis, once per row of panels
  const largestCell = 56;

  // A view of squares is as high as its cells are wide.
  function sized(view, width, square) {
    if (!square) return { ...view, width: Math.floor(width) };
    const cell = Math.min(largestCell, width / square.x);
    return { ...view, width: Math.round(cell * square.x), height: Math.round(cell * square.y) };
  }

  // Panels side by side, as many as fit, each as wide as that leaves; a single view is as wide as the page.
  function arrange(spec, width) {
    const { square, panels = 4, panel = 200 } = spec.usermeta ?? {};
    if (!spec.facet)
      return square ? sized(spec, width - axisRoom, square) : { width: "container", ...spec };
    const rows = Math.ceil(panels / Math.max(1, Math.floor(width / panel)));
    const columns = Math.ceil(panels / rows);
    const inner = (width - axisRoom - 20 * (columns - 1)) / columns;
    return { ...spec, columns, spec: sized(spec.spec, inner, square) };
  }

  function read(element) {
    const { spec, data } = JSON.parse(element.querySelector('script[type="application/json"]').textContent);
    const figure = {
      id: element.dataset.figure,
      picture: element.querySelector(".picture"),
      spec,
      view: null,
    };
    figure.datasets = Object.fromEntries(data.map((set) => [set.name, objects(set)]));
    for (const link of element.querySelectorAll("a[data-dataset]")) {
      const set = data[Number(link.dataset.dataset)];
      offer(link, () => csv(set.columns, set.rows));
    }
    element.querySelector(".save").append(saveButton(figure, "svg"), saveButton(figure, "png"));
    return figure;
  }

  async function draw(figure) {
    const drawing = figure.picture.querySelector(".drawing");
    const width = drawing.clientWidth;
    const spec = {
      ...arrange(figure.spec, width),
      datasets: figure.datasets,
      description: figure.picture.getAttribute("aria-label"),
    };
    if (figure.view) figure.view.finalize();
    const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, config: theme(width) };
    figure.view = (await vegaEmbed(drawing, spec, options)).view;
  }

  function apologise(figure, error) {
    console.error(`figure ${figure.id}: ${error.message}`);
    const note = document.createElement("p");
    note.className = "failed";
    note.textContent = "This picture could not be drawn; its numbers are below.";
    figure.picture.querySelector(".drawing").replaceChildren(note);
  }

  const figures = [...document.querySelectorAll(".figure")].map(read);
  async function drawAll() {
    for (const figure of figures) await draw(figure).catch((error) => apologise(figure, error));
    document.documentElement.dataset.drawn = String(figures.length);
  }

  for (const table of document.querySelectorAll(".table")) {
    const rows = [...table.querySelectorAll("tr")].map((row) =>
      [...row.cells].map((each) => each.textContent),
    );
    const link = table.querySelector("a[download]");
    if (link) offer(link, () => csv(rows[0], rows.slice(1)));
  }

  let width = document.documentElement.clientWidth,
    waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (document.documentElement.clientWidth === width) return;
      width = document.documentElement.clientWidth;
      drawAll();
    }, 200);
  });
  drawAll();
})();
