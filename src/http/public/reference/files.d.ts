// Files that are imported `with { type: "file" }`: the value is the file's path, also inside a compiled executable.
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
// Files that are imported `with { type: "text" }`: the value is the file's text.
declare module "*/CHANGELOG.md" {
  const text: string;
  export default text;
}
declare module "*/guides.md" {
  const text: string;
  export default text;
}
