// Files that are imported `with { type: "file" }`: the value is where the file lies, also inside a compiled executable.
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
// As a text.
declare module "*/CHANGELOG.md" {
  const text: string;
  export default text;
}
