"use strict";
(() => {
  const errors = [];
  window.addEventListener("error", (event) => errors.push(String(event.message)));
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const map = byId("chart-map");

  const make = (name, text) => {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  };
  const written = (value) =>
    typeof value === "number" ? value.toLocaleString("en-US", { maximumFractionDigits: 7 }) : String(value);
  // figures as plans write them: whole square feet, acres to a hundredth, feet to a tenth
  const decimals = { sqft: 0, ac: 2, ft: 1, pct: 2, share: 3 };
  const figure = (field, value) => {
    // what the rule states is no measurement and keeps its digits
    const stated = /^(width|base|floor|required|allowed|minimum_allowed)_ft$/.test(field);
    const digits = stated ? 2 : decimals[field.slice(field.lastIndexOf("_") + 1)];
    if (typeof value !== "number" || digits === undefined || field.startsWith("src_")) return written(value);
    const rounded = Number(value.toFixed(digits)) + 0;
    return rounded.toLocaleString("en-US", { minimumFractionDigits: stated ? 0 : digits, maximumFractionDigits: digits });
  };

  // ---- map: the view is the SVG's own viewBox ------------------------------------------------------------------
  let home = null;
  let view = null;
  const unitPerPixel = () => {
    const box = map.getBoundingClientRect();
    return Math.max(view.w / Math.max(box.width, 1), view.h / Math.max(box.height, 1));
  };
  const show = (next) => {
    const least = (20 / data.unit), most = home.w * 4;
    const width = Math.min(Math.max(next.w, least), most);
    const middle = { x: next.x + next.w / 2, y: next.y + next.h / 2 };
    const height = (width * next.h) / next.w;
    view = { x: middle.x - width / 2, y: middle.y - height / 2, w: width, h: height };
    map.setAttribute("viewBox", [view.x, view.y, view.w, view.h].join(" "));
    const unit = unitPerPixel();
    for (const pattern of document.querySelectorAll("#chart-map .zoomed")) {
      pattern.setAttribute("patternTransform", `scale(${unit})`);
    }
    const labels = byId("layer-labels");
    labels.setAttribute("font-size", String(13 * unit));
    spread(labels, unit);
    byId("here").setAttribute("r", String(7 * unit));
    // from afar the marks would hide what they stand on
    const monuments = byId("layer-monuments");
    if (monuments) monuments.classList.toggle("far", unit * data.unit > 6);
    rule(unit);
  };
  // names that would lie on each other are left out until there is room; the first, of the largest, stay
  const spread = (labels, unit) => {
    const kept = [];
    for (const text of labels.children) {
      const half = { w: (text.textContent.length * 4.2 + 4) * unit, h: 9 * unit };
      const x = Number(text.getAttribute("x")), y = Number(text.getAttribute("y"));
      const free = kept.length < 400 &&
        kept.every((other) => Math.abs(other.x - x) > other.w + half.w || Math.abs(other.y - y) > other.h + half.h);
      if (free) kept.push({ x, y, ...half });
      text.setAttribute("visibility", free ? "visible" : "hidden");
    }
  };
  const rule = (unit) => {
    const feet = 110 * unit * data.unit;
    const decade = 10 ** Math.floor(Math.log10(feet));
    const step = [5, 2, 1].find((one) => one * decade <= feet) * decade;
    byId("scale-bar").style.width = `${step / data.unit / unit}px`;
    byId("scale-text").textContent = `${written(step)} ft`;
  };
  const zoom = (factor, at) => {
    const spot = at || { x: view.x + view.w / 2, y: view.y + view.h / 2 };
    const w = Math.min(Math.max(view.w * factor, 20 / data.unit), home.w * 4);
    const scale = w / view.w;
    show({ x: spot.x - (spot.x - view.x) * scale, y: spot.y - (spot.y - view.y) * scale, w, h: view.h * scale });
  };
  const placeOf = (event) => {
    const matrix = map.getScreenCTM();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  };

  // ---- what a feature says -------------------------------------------------------------------------------------
  let lit = null;
  const featureAt = (target) => {
    const path = target instanceof Element ? target.closest("#chart-map .layer path") : null;
    if (!path) return null;
    const name = path.parentNode.id.replace("layer-", "");
    const layer = data.features[name];
    return layer ? { path, name, fields: layer.fields, row: layer.rows[Number(path.dataset.row)] } : null;
  };
  const titleOf = (found) => {
    const names = ["label", "monument_id", "access_id", "parcel_id", "resource_id"];
    const place = names.map((name) => found.fields.indexOf(name)).find((index) => index >= 0 && found.row[index] !== null);
    const kind = found.name.replaceAll("_", " ");
    return place === undefined ? kind : `${kind}: ${found.row[place]}`;
  };
  const tell = (found) => {
    const told = byId("told");
    told.replaceChildren(make("h3", titleOf(found)));
    const list = document.createElement("dl");
    found.fields.forEach((field, index) => {
      if (found.row[index] === null) return;
      const line = document.createElement("div");
      line.append(make("dt", field), make("dd", figure(field, found.row[index])));
      list.append(line);
    });
    told.append(list);
  };
  const light = (path) => {
    if (lit) lit.classList.remove("lit");
    lit = path;
    if (lit) lit.classList.add("lit");
  };
  const hover = (event) => {
    const found = featureAt(event.target), tip = byId("tip");
    light(found ? found.path : null);
    tip.hidden = !found;
    if (!found) return;
    tell(found);
    tip.textContent = titleOf(found);
    const box = map.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    tip.style.left = `${Math.max(Math.min(x + 14, box.width - tip.offsetWidth - 6), 4)}px`;
    tip.style.top = `${Math.max(y - 34, 4)}px`;
  };

  const pointers = new Map();
  let pinch = 0;
  const bindMap = () => {
    const box = map.viewBox.baseVal;
    home = { x: box.x, y: box.y, w: box.width, h: box.height };
    show(home);
    map.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      try { map.setPointerCapture(event.pointerId); } catch { /* a made-up pointer cannot be held */ }
      pinch = 0;
    });
    map.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) { hover(event); return; }
      const unit = unitPerPixel();
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (pointers.size === 1) {
        show({ ...view, x: view.x - (event.clientX - last.x) * unit, y: view.y - (event.clientY - last.y) * unit });
        return;
      }
      const [one, two] = [...pointers.values()];
      const apart = Math.hypot(one.x - two.x, one.y - two.y);
      if (pinch) zoom(pinch / Math.max(apart, 1), placeOf({ clientX: (one.x + two.x) / 2, clientY: (one.y + two.y) / 2 }));
      pinch = apart;
    });
    const up = (event) => { pointers.delete(event.pointerId); pinch = 0; };
    for (const name of ["pointerup", "pointercancel"]) map.addEventListener(name, up);
    map.addEventListener("click", (event) => {
      // the pointer was held by the map itself, so ask what lies there
      hover({ target: document.elementFromPoint(event.clientX, event.clientY), clientX: event.clientX, clientY: event.clientY });
    });
    map.addEventListener("pointerleave", () => { byId("tip").hidden = true; light(null); });
    map.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 500), placeOf(event));
    }, { passive: false });
    map.addEventListener("dblclick", (event) => zoom(0.5, placeOf(event)));
    map.addEventListener("keydown", (event) => {
      const step = view.w / 8;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[event.key]) show({ ...view, x: view.x + moves[event.key][0], y: view.y + moves[event.key][1] });
      else if (event.key === "+" || event.key === "=") zoom(0.7);
      else if (event.key === "-") zoom(1 / 0.7);
      else return;
      event.preventDefault();
    });
    byId("zoom-in").addEventListener("click", () => zoom(0.6));
    byId("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
    byId("zoom-all").addEventListener("click", () => show(home));
    for (const box of document.querySelectorAll("#switches input")) {
      box.addEventListener("change", () => {
        const layer = byId(box.dataset.layer);
        if (box.checked) layer.removeAttribute("display"); else layer.setAttribute("display", "none");
      });
    }
    window.addEventListener("resize", () => show(view));
  };

  // ---- width profiles ------------------------------------------------------------------------------------------
  const bindChart = (figure) => {
    const rows = data.profiles[Number(figure.dataset.chart)].rows;
    const chart = figure.querySelector("svg"), cursor = figure.querySelector(".cursor");
    const reading = figure.querySelector(".reading"), here = byId("here");
    chart.addEventListener("pointermove", (event) => {
      const matrix = chart.getScreenCTM();
      const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()).x;
      const row = rows.reduce((best, one) => (Math.abs(one[0] - x) < Math.abs(best[0] - x) ? one : best));
      cursor.setAttribute("transform", `translate(${row[0]} 0)`);
      cursor.setAttribute("visibility", "visible");
      reading.textContent = `station ${written(row[1])} ft: ${row[2].toFixed(1)} ft wide, ` +
        `${row[3].toFixed(1)} ft required, ${row[4].toFixed(1)} ft allowed`;
      here.setAttribute("visibility", "visible");
      here.setAttribute("cx", String(row[5]));
      here.setAttribute("cy", String(row[6]));
    });
    chart.addEventListener("pointerleave", () => cursor.setAttribute("visibility", "hidden"));
  };

  // ---- findings ------------------------------------------------------------------------------------------------
  const filter = () => {
    const wanted = new Set([...document.querySelectorAll(".filter input:checked")].map((box) => box.value));
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    const rows = document.querySelectorAll("#finding-rows tbody tr");
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = wanted.has(row.dataset.severity) && words.every((word) => text.includes(word));
      row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    byId("shown").textContent = `${count} of ${rows.length} shown`;
  };

  if (map) bindMap();
  document.querySelectorAll("figure.profile").forEach(bindChart);
  if (byId("search")) {
    byId("search").addEventListener("input", filter);
    document.querySelectorAll(".filter input[type=checkbox]").forEach((box) => box.addEventListener("change", filter));
    filter();
  }
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
  });

  // ---- #selftest: does what a reader would do, and writes down what came of it -----------------------------------
  const selftest = () => {
    const result = { errors, pwned: window.pwned ?? null };
    const fire = (target, name, at, more) =>
      target.dispatchEvent(new PointerEvent(name, { bubbles: true, cancelable: true, pointerId: 77, ...at, ...more }));
    const middle = (element) => {
      const box = element.getBoundingClientRect();
      return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
    };
    if (map) {
      const before = { ...view };
      const start = middle(map);
      fire(map, "pointerdown", start);
      fire(map, "pointermove", { clientX: start.clientX + 60, clientY: start.clientY + 25 });
      fire(map, "pointerup", start);
      result.panned = [before.x - view.x, before.y - view.y].map((one) => one / unitPerPixel());
      const held = view.w;
      map.dispatchEvent(new WheelEvent("wheel", { deltaY: -120, cancelable: true, ...start }));
      result.wheel = view.w / held;
      byId("zoom-out").click();
      result.button = view.w / held;
      byId("zoom-all").click();
      result.home = view.x === home.x && view.w === home.w;
      const box = document.querySelector("#switches input[data-layer=layer-resources]");
      const layer = byId(box.dataset.layer);
      box.click();
      const off = getComputedStyle(layer).display;
      box.click();
      result.toggled = [off, getComputedStyle(layer).display];
      const feature = layer.querySelector("path");
      fire(feature, "pointermove", middle(feature));
      result.hover = byId("told").textContent;
      result.tip = byId("tip").hidden ? null : byId("tip").textContent;
    }
    const figure = document.querySelector("figure.profile");
    if (figure) {
      fire(figure.querySelector("svg"), "pointermove", middle(figure.querySelector("svg")));
      result.reading = figure.querySelector(".reading").textContent;
    }
    if (byId("search")) {
      byId("search").value = "no finding says this";
      filter();
      result.filtered = byId("shown").textContent;
      byId("search").value = "";
      filter();
      result.unfiltered = byId("shown").textContent;
    }
    result.wide = document.documentElement.scrollWidth - window.innerWidth;
    const told = make("pre", JSON.stringify(result));
    told.id = "selftest";
    document.body.append(told);
  };
  if (location.hash === "#selftest") selftest();
})();
