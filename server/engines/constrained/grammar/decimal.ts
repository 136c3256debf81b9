// Exact decimals: a JSON number as an integer times a power of ten.

/** `units` × 10^-`places`. */
export interface Decimal {
  readonly units: bigint
  readonly places: number
}

/** The shortest decimal that parses to the same finite number. */
export function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(power)
  const units = BigInt(whole + fraction)
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 }
}

/** The decimal in units of 10^-`wanted`: exact, or rounded down. */
export function unitsOf({ units, places }: Decimal, wanted: number): { units: bigint; exact: boolean } {
  if (wanted >= places) return { units: units * 10n ** BigInt(wanted - places), exact: true }
  const divisor = 10n ** BigInt(places - wanted)
  const rest = ((units % divisor) + divisor) % divisor
  return { units: (units - rest) / divisor, exact: rest === 0n }
}

/** The least common multiple; both are above 0. */
export function commonMultiple(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places)
  const [left, right] = [unitsOf(a, places).units, unitsOf(b, places).units]
  return { units: (left / divisor(left, right)) * right, places }
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b)
}
