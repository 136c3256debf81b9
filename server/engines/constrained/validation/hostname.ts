// Host names: RFC 1123, with internationalised labels in their ASCII form (A-labels, RFC 5891).
import { domainToASCII, domainToUnicode } from 'node:url'

/** Whether `text` is a host name: labels of letters, digits and hyphens, up to 63 characters each and 253 together. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every(isLabel)
}

function isLabel(label: string): boolean {
  if (!/^[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?$/.test(label)) return false
  // Hyphens in the third and the fourth place are reserved for A-labels.
  return label.slice(2, 4) !== '--' || (/^xn/i.test(label) && isALabel(label.toLowerCase()))
}

/** Whether the label is the ASCII form of an internationalised one. `node:url` checks all but the rules of RFC 5892. */
function isALabel(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label && isULabel(unicode)
}

/** Letters, digits and marks that no normalisation changes, the exceptions of RFC 5892, and characters that need a context. */
const ALLOWED =
  /^[\u200c-\u200d\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u06fd\u06fe\u0f0b\u3007\u00b7\u0375\u05f3\u05f4\u30fb-]+$/u
const DISALLOWED =
  /[\u20d0-\u20ff\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\u{1d165}-\u{1d244}]/u

/** The rules of characters that need a context: each expression matches a label that breaks one. */
const BROKEN_CONTEXTS = [
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*\u30fb[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*$/u,
  /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/u,
]

function isULabel(label: string): boolean {
  if (!ALLOWED.test(label) || DISALLOWED.test(label)) return false
  if (/^\p{M}/u.test(label) || label.slice(2, 4) === '--') return false
  return !BROKEN_CONTEXTS.some((broken) => broken.test(label))
}
