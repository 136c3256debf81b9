// A short peak of load, then the load from before.
export { once, options } from './once.ts'
