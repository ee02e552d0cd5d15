// The scripts of the reference's page: search, tabs of languages, copying, and trying an endpoint with a key. A file of
// its own, because the page allows no inline script. A reload forgets the key, unless it is to stay for the tab.

// Where a proxy serves the reference, as the server wrote it into the document.
const { basePath: BASE_PATH = "", isStatic } = document.documentElement.dataset;
/** The samples name this address; the page puts its own in place of it. */
const SAMPLE_ADDRESS = "http://127.0.0.1:4010";
const ADDRESS = isStatic === undefined ? location.origin + BASE_PATH : SAMPLE_ADDRESS; // a static demo has no server

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function useOwnAddress() {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.data.includes(SAMPLE_ADDRESS)) node.data = node.data.replaceAll(SAMPLE_ADDRESS, ADDRESS);
  }
}

/** Shows one language in all samples. */
function select(language) {
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const isSelected = tab.dataset.language === language;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
  }
  for (const panel of document.querySelectorAll('[role="tabpanel"]'))
    panel.hidden = panel.dataset.language !== language;
}

/** Keeps the tab in its place on the screen, because other samples above it change their height. */
function selectInPlace(tab) {
  const before = tab.getBoundingClientRect().top;
  select(tab.dataset.language);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

function makeTabs(samples) {
  const panels = [...samples.querySelectorAll(".sample")];
  const tabs = panels.map((panel) => {
    const { language } = panel.dataset;
    const tab = element("button", { type: "button", id: `${panel.id}-tab`, textContent: language });
    tab.dataset.language = language;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () => selectInPlace(tab));
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.querySelector("figcaption").remove();
    return tab;
  });
  const list = element("div", { className: "tabs" }, ...tabs);
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    selectInPlace(next);
  });
  samples.prepend(list);
}

/** The clipboard needs HTTPS or loopback; elsewhere the code is selected, to be copied by hand. */
function addCopyButton(pre) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", `Copy: ${pre.getAttribute("aria-label")}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  const box = element("div", { className: "code-box" });
  pre.replaceWith(box);
  box.append(pre, button);
}

/** The values of an input: several with commas between them, if it takes a list. */
function valuesOf(input, text) {
  const values = "list" in input.dataset ? text.split(",") : [text];
  return values.map((value) => value.trim()).filter((value) => value !== "");
}

/** The path and query of the form's values. */
function targetOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const [name, text] of new FormData(form)) {
    const value = text.trim();
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else for (const one of valuesOf(form.elements.namedItem(name), value)) query.append(name, one);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function formatted(text, type) {
  if (!type.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // cut off on the way: shown as it came
  }
}

/** Once something is written into an endpoint's form, its curl sample is the request of the form. */
function followForm(form) {
  const code = form.closest(".entry").querySelector('[data-language="curl"] code');
  const show = () => {
    code.textContent = `curl "${ADDRESS}${targetOf(form)}" \\\n  -H "x-api-key: $ROLLCALL_KEY"`;
  };
  form.addEventListener("input", show);
  return show;
}

/** The sections with these words in their title; if there is none, those with the words anywhere. */
function search(text) {
  const words = text.toLowerCase().split(/\s+/);
  const has = ({ textContent }) => words.every((word) => textContent.toLowerCase().includes(word));
  const links = [...document.querySelectorAll(".contents li a")];
  const called = links.filter(has);
  const found =
    called.length > 0 ? called : links.filter(({ hash }) => has(document.getElementById(hash.slice(1))));
  for (const link of links) link.closest("li").hidden = !found.includes(link);
  for (const list of document.querySelectorAll(".contents nav ul")) {
    const isEmpty = list.querySelector("li:not([hidden])") === null;
    list.hidden = isEmpty;
    if (list.previousElementSibling?.tagName === "H2") list.previousElementSibling.hidden = isEmpty;
  }
  return found;
}

function makeSearch() {
  const field = document.querySelector("#search");
  field.parentElement.hidden = false;
  const count = document.querySelector("#found");
  field.addEventListener("input", () => {
    const found = search(field.value.trim());
    count.textContent = field.value.trim() === "" ? "" : `${found.length} sections`;
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") search(field.value.trim())[0]?.click();
  });
}

/** The first id of each list of the key's company, by the prefix of its ids. */
async function ownIds(key) {
  const lists = JSON.parse(document.querySelector("main").dataset.lists);
  const found = await Promise.all(
    Object.entries(lists).map(async ([prefix, path]) => {
      const response = await fetch(`${BASE_PATH}${path}?limit=1`, { headers: { "x-api-key": key } });
      const id = response.ok ? (await response.json()).data[0]?.id : undefined;
      return id === undefined ? [] : [[prefix, id]];
    }),
  );
  return new Map(found.flat());
}

/** Replaces the ids in samples and forms by ids of the key's company. */
async function useOwnIds(key) {
  const ids = await ownIds(key).catch(() => new Map());
  const own = (text) => text.replace(/\b([a-z]{3})_[0-9a-z]{20,}\b/g, (id, prefix) => ids.get(prefix) ?? id);
  for (const code of document.querySelectorAll(".samples code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) node.data = own(node.data);
  }
  for (const input of document.querySelectorAll(".try input")) {
    input.placeholder = own(input.placeholder);
    if (input.required && input.placeholder !== "") input.value ||= input.placeholder;
  }
}

/** The page at `/` keeps its key under this name. */
const STORED = "rollcall.key";

function makeKeyForm() {
  const form = document.querySelector("#key-form");
  const { key, keep } = form.elements;
  const store = () => {
    if (keep.checked && key.value.trim() !== "") sessionStorage.setItem(STORED, key.value.trim());
    else sessionStorage.removeItem(STORED);
  };
  key.value = sessionStorage.getItem(STORED) ?? "";
  keep.checked = key.value !== "";
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    store();
    if (event.target === key && key.value.trim() !== "") void useOwnIds(key.value.trim());
  });
  if (key.value !== "") void useOwnIds(key.value);
}

async function send(form, result) {
  const target = targetOf(form);
  const key = document.querySelector("#key").value.trim();
  const startedAtMs = performance.now();
  let status;
  let body = "";
  try {
    const response = await fetch(BASE_PATH + target, {
      headers: key === "" ? {} : { "x-api-key": key },
      cache: "no-store",
    });
    status = `${response.status} · ${Math.round(performance.now() - startedAtMs)} ms`;
    body = formatted(await response.text(), response.headers.get("content-type") ?? "");
    if (response.status === 401) status += " · set your API key at the top of this page";
  } catch (error) {
    status = `No response: ${error.message}`;
  }
  const pre = element("pre", { tabIndex: 0 }, element("code", { textContent: body }));
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", "Response");
  result.replaceChildren(
    element("p", {}, element("code", { textContent: `GET ${target}` })),
    element("p", { className: "outcome", textContent: status }),
    ...(body === "" ? [] : [pre]),
  );
  if (body !== "") addCopyButton(pre);
}

function makeTry(details) {
  const form = details.querySelector("form");
  const result = details.querySelector(".result");
  const show = followForm(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
    void send(form, result);
  });
  details.hidden = false;
}

useOwnAddress();
document.querySelectorAll(".samples").forEach(makeTabs);
select("curl");
document.querySelectorAll("main pre").forEach(addCopyButton);
document.querySelectorAll(".try").forEach(makeTry);
makeSearch();
makeKeyForm();
if (matchMedia("(max-width: 719px)").matches) document.querySelector(".contents").open = false;
// The samples above became shorter, so go to the address's anchor again.
if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
