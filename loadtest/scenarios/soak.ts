// An even load for a long time.
export { once, options } from './once.ts'
