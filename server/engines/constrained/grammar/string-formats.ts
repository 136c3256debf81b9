// The formats of strings that a grammar can express, as regular expressions. Each accepts nothing but what the format's
// own specification accepts, though not all of it: no leap seconds, no addresses that only some readers take.

const day = '(?:0[1-9]|[12]\\d|3[01])'
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const date = `(?:\\d{4}-(?:(?:0[13578]|1[02])-${day}|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${leapYear}-02-29)`
const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d'
const time = `${clock}:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-]${clock})`

const whole = '\\d{1,9}'
const byTime = `T(?:${whole}H(?:${whole}M(?:${whole}S)?)?|${whole}M(?:${whole}S)?|${whole}S)`
const byDate = `(?:${whole}Y(?:${whole}M(?:${whole}D)?)?|${whole}M(?:${whole}D)?|${whole}D)`

const label = '[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8}){0,3}'
const hostname = `${label}(?:\\.${label}){0,4}`
const atom = '[A-Za-z0-9_+-]{1,20}'

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const group = '[0-9A-Fa-f]{1,4}'
const groups = (count: number): string =>
  count === 0 ? '' : `${group}${count === 1 ? '' : `(?::${group}){0,${count - 1}}`}`
/** An address with `before` groups before `::`, which replaces at least one group. */
const shortened = (before: number): string => {
  const first = before === 0 ? '' : `${group}${`:${group}`.repeat(before - 1)}`
  return `${first}::(?:${groups(7 - before)})?`
}
const ipv6 = [`${group}(?::${group}){7}`, ...[0, 1, 2, 3, 4, 5, 6, 7].map(shortened)].join('|')

const path = "[A-Za-z0-9._~!$&'()*+,;=:@/-]*"

const uri = `[a-z][a-z0-9]{1,15}://(?:${label}\\.){0,4}[a-z]{2,12}(?:/${path})?`
const pointer = '(?:/[A-Za-z0-9_-]{0,20}){0,5}'

/** Expressions of the whole string, by the name of the format. */
export const STRING_FORMATS: Readonly<Record<string, string>> = {
  'date-time': `^${date}T${time}$`,
  date: `^${date}$`,
  time: `^${time}$`,
  duration: `^P(?:${whole}W|${byTime}|${byDate}(?:${byTime})?)$`,
  email: `^${atom}(?:\\.${atom}){0,2}@(?:${label}\\.){1,3}[A-Za-z]{2,12}$`,
  hostname: `^${hostname}$`,
  ipv4: `^${octet}(?:\\.${octet}){3}$`,
  ipv6: `^(?:${ipv6})$`,
  'json-pointer': `^${pointer}$`,
  regex: '^(?:[A-Za-z0-9 _-]|\\\\[dws.])*$',
  'relative-json-pointer': `^(?:0|[1-9]\\d{0,4})${pointer}$`,
  uri: `^${uri}$`,
  'uri-reference': `^(?:${uri}|/?[A-Za-z0-9._~-]{1,20}(?:/[A-Za-z0-9._~-]{1,20}){0,5})$`,
  'uri-template': `^${uri}$`,
  uuid: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
}
