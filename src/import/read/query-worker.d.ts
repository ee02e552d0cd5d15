// query-worker.js is imported as text.
declare const source: string;
export default source;
