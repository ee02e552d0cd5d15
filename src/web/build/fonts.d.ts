// Imported `with { type: "file" }`: the value is where the file lies.
declare module "*.woff2" {
  const path: string;
  export default path;
}
