// Queries are imported `with { type: "text" }`, also into a compiled executable.
declare module "*.sql" {
  const text: string;
  export default text;
}
