// Queries are imported as texts, also into a compiled executable.
declare module "*.sql" {
  const text: string;
  export default text;
}
