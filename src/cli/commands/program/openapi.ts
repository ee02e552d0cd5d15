// rollcall openapi
import { Command } from "commander";
import { openApiDocument } from "../../../resources/openapi/document.ts";

export function openapiCommand(): Command {
  return new Command("openapi")
    .description("Print the API's OpenAPI 3.1 document.")
    .addHelpText("after", "\nExample:\n  rollcall openapi > openapi.json")
    .action(() => console.log(JSON.stringify(openApiDocument(), null, 2)));
}
