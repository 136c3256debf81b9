// Concurrent streams, each read to its end.
export { once, options } from './once.ts'
