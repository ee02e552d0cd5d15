// Files imported `with { type: "file" }`: the value is their path, also inside a compiled executable.
declare module "*.css" {
  const path: string;
  export default path;
}
declare module "*.svg" {
  const path: string;
  export default path;
}
declare module "*/docs.js" {
  const path: string;
  export default path;
}
// Imported as texts.
declare module "*/CHANGELOG.md" {
  const text: string;
  export default text;
}
declare module "*/guides.md" {
  const text: string;
  export default text;
}
