// Phrases that slow a reader down, and the usual English for each.

export interface BannedPhrase {
  /** A space matches any run of white space, including the end of a comment line and the start of the next. */
  readonly pattern: RegExp
  /** Reads on after "write". */
  readonly instead: string
}

export const BANNED_PHRASES: readonly BannedPhrase[] = [
  { pattern: /\b(tell|tells|telling|told)\b/i, instead: '"return", "report" or "send" (or "distinguish")' },
  { pattern: /\bwho(m|so)?ever\b/i, instead: '"any client" or "each caller"' },
  {
    // "There is no key" is plain English, and so are comparisons.
    pattern: /(?<!\bthere )\b(is|are|was|were|be|being) no (?!longer|more|less|\w+er than)/i,
    instead: '"is not a"',
  },
  { pattern: /\bholds? no\b/i, instead: '"contains no"' },
  {
    pattern: /\b(what|who|that|all|than|many) there (is|are)\b(?! (a|an|no|one|two) )/i,
    instead: 'the noun itself',
  },
  {
    pattern: /\bheld (against|to)\b|\bhold(s|ing)? (\S+ ){1,3}against\b/i,
    instead: '"compare with" or "check against" or "verify"',
  },
  { pattern: /\bmade[- ]up\b/i, instead: '"fake"' },
  { pattern: /\b(let|lets|letting) (\w+ )?go\b/i, instead: '"release" or "free"' },
  { pattern: /\b(shelf|shelves)\b/i, instead: '"idle cache"' },
  { pattern: /\btroubled\b/i, instead: '"hostile"' },
  { pattern: /\bspoil(s|ed|ing)?\b/i, instead: '"mutate"' },
  { pattern: /\bkin\b/i, instead: '"similar" or "related"' },
  { pattern: /\b(nobody|somebody|everybody|anybody)\b/i, instead: 'the client, user or operator' },
  { pattern: /\bin the place of\b/i, instead: '"instead of"' },
  { pattern: /\bby what\b/i, instead: '"how"' },
  { pattern: /\bmanieth\b/i, instead: '"its index"' },
  { pattern: /\bas many as there\b/i, instead: '"all" or "unlimited"' },
  { pattern: /\bnot just now\b/i, instead: '"temporarily unavailable"' },
  { pattern: /\bunder way\b/i, instead: '"in flight" or "running"' },
  { pattern: /\bused up\b/i, instead: '"exceeded" or "exhausted"' },
  { pattern: /\btaken to (have|be|mean)\b/i, instead: '"assumed to"' },
  { pattern: /\btakes? along\b/i, instead: '"includes"' },
  { pattern: /\bdecent\b/i, instead: '"well-formed"' },
  { pattern: /\bhousehold\b/i, instead: '"network"' },
  { pattern: /\bown eyes\b/i, instead: '"its own code"' },
  { pattern: /\basked for\b/i, instead: '"requested"' },
  { pattern: /\bwish(es|ed)?\b/i, instead: '"request"' },
  {
    pattern: /\b(is|are|was|were|stays|goes|going|went|has) (gone|away)\b/i,
    instead: '"unreachable" or "down" or "closed" or "deleted" ("disconnects" of a client)',
  },
  { pattern: /\b(learns|learned|learnt)\b/i, instead: '"discover" or "probe"' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: '"fix"' },
  { pattern: /\banew\b/i, instead: '"again"' },
  { pattern: /, for one,/i, instead: '"for example"' },
  { pattern: /\b(as|what) (it |they )?stands?\b/i, instead: 'the noun itself, or "unchanged"' },
  { pattern: /\bstands? (in|at|on|there|with)\b/i, instead: '"is in"' },
  {
    pattern: /\b(thereof|therein|wherein|whence|hence|thence|lest|upon|amid|whilst|amongst|naught|ere)\b/i,
    instead: 'a usual word',
  },
  { pattern: /\b(has|have) of\b/i, instead: 'the noun itself' },
  { pattern: /\blacks to\b/i, instead: '"is slower than"' },
  { pattern: /\b(is|are|was|were) to be\b/i, instead: '"must be" or "will be"' },
  { pattern: /, as `[^`\n]*`(?=[.,;:)]| or | and )/i, instead: '"for example"' },
  {
    pattern:
      /\b(undefined|null|false|true|empty|none|zero|inconclusive|applicable|unless|only|also) where\b/i,
    instead: '"if" or "when"',
  },
  {
    pattern:
      /(?<!\b(places?|points?|positions?|folder|lines?|from|of|to|says?|shows?|see|knows?|finds?|is|on|and|or|exactly) )\bwhere (it|they|there|nothing|none|no|not|neither|another|several|one|a|an|that|this)\b/i,
    instead: '"if" or "when"',
  },
  {
    pattern: /(?<=\/\*\* |\/\/ |\w\. )(What|Who|Whoever) (?=[^?]{0,200}[.:])/,
    instead: 'open with a noun: "The …"',
  },
  {
    // A docstring opens with a noun or a verb. "In order", "In milliseconds" and the like describe a value.
    pattern:
      /(?<=\/\*\* )(After|Against|As|At|Before|Behind|Beside|Between|By|For(?! example)|From|In|Inside|Like|Of|On|Over|Through|To|Under|Until|With|Without)\b/,
    instead: 'a sentence that opens with a noun or a verb',
  },
  { pattern: /(?<=\/\*\* )The same\b/, instead: 'what it is, not what it is like' },
  {
    pattern: /\bso (many|much|few|often|long|soon)\b(?! (as|that)\b)/i,
    instead: '"that number of", or the number itself',
  },
]
