// The program has query-worker.js as text.
declare const source: string;
export default source;
