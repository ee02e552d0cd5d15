// Starts Swagger UI. A file of its own, because the page allows no inline script.

/** Swagger UI fills parameters with their examples, so that a first call would filter everything away: say them instead. */
function tellExamples(openApi) {
  for (const { get } of Object.values(openApi.paths)) {
    get.parameters = get.parameters.map((parameter) => {
      const { example, ...plain } = "$ref" in parameter ? resolve(openApi, parameter.$ref) : parameter;
      if (plain.required || "default" in plain.schema) return parameter;
      const { examples, ...schema } = plain.schema;
      if (schema.items) {
        const { examples: itemExamples, ...items } = schema.items;
        schema.items = items;
      }
      const values = [example].flat().join(", ");
      return { ...plain, schema, description: `${plain.description}\n\nExample: \`${values}\`` };
    });
  }
  return openApi;
}

function resolve(openApi, reference) {
  return reference
    .slice("#/".length)
    .split("/")
    .reduce((value, key) => value[key], openApi);
}

function followColourScheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

async function start() {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`);
  SwaggerUIBundle({
    spec: tellExamples(await response.json()),
    dom_id: "#reference",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false, // the key stays in the memory of this tab
    queryConfigEnabled: false,
    supportedSubmitMethods: ["get"],
    tryItOutEnabled: true,
    validatorUrl: null, // nothing is asked of another server
  });
}

followColourScheme();
start().catch((error) => {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.textContent = `The reference could not be loaded: ${error.message}. Reload the page to try again.`;
  document.querySelector("#reference").append(notice);
});
