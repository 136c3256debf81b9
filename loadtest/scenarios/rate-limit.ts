// Keys below, at and far above their limit, one with a burst, and one with slow answers.
export { once, options } from './once.ts'
