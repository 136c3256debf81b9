// A key far above its limit beside quiet keys.
export { once, options } from './once.ts'
