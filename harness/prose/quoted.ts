// Text of other people that the project quotes, and names of a public contract: not its own prose.
export const QUOTED: readonly string[] = [
  // The id of an assertion of the load tests.
  "'told'",
  '`told`',
  // Ids of checks and of faulty servers and clients.
  '-not-told-apart',
  'retries-at-once-if-told-to',
  '-when-not-told',
  'models-tells-restricted',
  '-to-anybody',
  '-with-anybody',
  '-for-nobody',
  // A member of the JSON report.
  'learned:',
  '.learned',
  'learned }',
  'learned,',
  '{learned}',
  ' learned)',
  'const learned =',
  '? learned :',
]
