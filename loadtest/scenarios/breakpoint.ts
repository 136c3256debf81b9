// A rate that rises until the service breaks its objective.
export { once, options } from './once.ts'
