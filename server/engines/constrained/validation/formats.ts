// The formats of strings that a schema can assert, each exactly as its own specification defines it.
import { isHostname } from './hostname.ts'

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (month === undefined || Number(month) < 1 || Number(month) > 12) return false
  // Day 0 of the next month is the last day of this month.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()
  return Number(day) >= 1 && Number(day) <= last
}

const MINUTES_PER_DAY = 24 * 60

/** RFC 3339: a leap second is the last one of a day in UTC, whatever the offset. */
function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour = 0, offsetMinute = 0] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text) ?? []
  if (hour === undefined || !isClock(hour, minute) || !isClock(offsetHour, offsetMinute)) return false
  if (Number(second) < 60) return true
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  const utc = Number(hour) * 60 + Number(minute) - offset
  return Number(second) === 60 && (utc + MINUTES_PER_DAY) % MINUTES_PER_DAY === MINUTES_PER_DAY - 1
}

function isClock(hour: unknown, minute: unknown): boolean {
  return Number(hour) < 24 && Number(minute) < 60
}

function isDateTime(text: string): boolean {
  return /^.{10}[Tt]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

// RFC 3339, appendix A: no unit is skipped between two others.
const byTime = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)'
const byDate = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)'
const duration = RegExp(`^P(?:\\d+W|${byTime}|${byDate}(?:${byTime})?)$`)

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4Source = `${octet}(?:\\.${octet}){3}`
const ipv4 = RegExp(`^${ipv4Source}$`)

/** RFC 4291: eight groups; the last two may be an IPv4 address, and one `::` replaces one group or more. */
function isIpv6(text: string): boolean {
  if (!/^[\dA-Fa-f:.]{2,45}$/.test(text)) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const endsInIpv4 = !text.endsWith('::') && ipv4.test(last)
  const count = groups.length + (endsInIpv4 ? 1 : 0)
  const isGroup = (group: string) => /^[\dA-Fa-f]{1,4}$/.test(group)
  if (!(endsInIpv4 ? groups.slice(0, -1) : groups).every(isGroup)) return false
  return halves.length === 2 ? count <= 7 : count === 8
}

// RFC 5321, "Mailbox".
const atom = "[\\w!#$%&'*+/=?^`{|}~-]+"
const quotedString = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"'
const mailbox = RegExp(`^(?:${atom}(?:\\.${atom})*|${quotedString})@(.+)$`, 's')

function isEmail(text: string): boolean {
  const domain = mailbox.exec(text)?.[1] ?? ''
  const [, literal] = /^\[(.*)\]$/s.exec(domain) ?? []
  if (literal === undefined) return isHostname(domain)
  return /^ipv6:/i.test(literal) ? isIpv6(literal.slice(5)) : ipv4.test(literal)
}

// RFC 3986.
const escape = '%[\\dA-Fa-f]{2}'
const plain = "\\w.~!$&'()*+,;=\\-"
const segments = `(?:[${plain}:@/]|${escape})*`
const authority = `(?:(?:[${plain}:]|${escape})*@)?(?:\\[([^\\]]*)\\]|(?:[${plain}]|${escape})*)(?::\\d*)?`
const tail = `(?:\\?(?:[${plain}:@/?]|${escape})*)?(?:#(?:[${plain}:@/?]|${escape})*)?`
const scheme = '[A-Za-z][A-Za-z\\d+.-]*:'
const uri = RegExp(`^${scheme}(?://${authority}(?:/${segments})?|(?!//)${segments})${tail}$`)
// Without a scheme, the first segment has no colon.
const relative = RegExp(
  `^(?://${authority}(?:/${segments})?|(?!//)(?:[${plain}@]|${escape})*(?:/${segments})?)${tail}$`,
)

function matchesAddress(expression: RegExp, text: string): boolean {
  const found = expression.exec(text)
  const literal = found?.[1]
  if (found === null || literal === undefined) return found !== null
  return isIpv6(literal) || RegExp(`^v[\\dA-Fa-f]+\\.[${plain}:]+$`, 'i').test(literal)
}

// RFC 6570.
const variable = '(?:\\w|%[\\dA-Fa-f]{2})(?:\\.?(?:\\w|%[\\dA-Fa-f]{2}))*(?::[1-9]\\d{0,3}|\\*)?'
const expression = `\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\}`
const literals = '[^\\0- "%<>\\\\^`{|}\\x7f-\\x9f\\ud800-\\udfff]'
const uriTemplate = RegExp(`^(?:${literals}|${escape}|${expression})*$`, 'u')

const pointer = '(?:/(?:[^~/]|~[01])*)*'

function isRegex(text: string): boolean {
  try {
    RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text)

/** Whether a string has the format, by the name of the format. All other formats are annotations. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', isDateTime],
  ['date', isDate],
  ['time', isTime],
  ['duration', matching(duration)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', matching(ipv4)],
  ['ipv6', isIpv6],
  ['json-pointer', matching(RegExp(`^${pointer}$`))],
  ['regex', isRegex],
  ['relative-json-pointer', matching(RegExp(`^(?:0|[1-9]\\d*)(?:[+-][1-9]\\d*)?(?:#|${pointer})$`))],
  ['uri', (text) => matchesAddress(uri, text)],
  ['uri-reference', (text) => matchesAddress(uri, text) || matchesAddress(relative, text)],
  ['uri-template', matching(uriTemplate)],
  ['uuid', matching(/^[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}$/)],
])
