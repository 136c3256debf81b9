// Checks the image of the executable without a build: it has that file and the libraries that it needs, no shell and no root.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const instructions = [...read('judge.Dockerfile').matchAll(/^([A-Z]+) (.+)$/gm)].map(
  ([, name = '', words = '']) => ({ name, words }),
)
const wordsOf = (wanted: string): readonly string[] =>
  instructions.filter(({ name }) => name === wanted).map(({ words }) => words)

test('contains the file that `npm run build:binary` writes, and is sent nothing else', () => {
  const [, file] = /'(touchstone-[\w-]+)'/.exec(read('binary/build-binary.ts')) ?? []
  const [own, ...others] = wordsOf('COPY').filter((words) => !words.startsWith('--from=libraries '))
  expect([own, others]).toEqual([`dist/${file} /usr/bin/touchstone`, []])
  expect(read('judge.Dockerfile.dockerignore')).toBe(`*\n!dist/${file}\n`)
})

test('has no shell: no instruction is run while it is built, and its commands are lists of words', () => {
  expect(wordsOf('RUN')).toEqual([])
  expect(wordsOf('FROM')).toEqual(['debian:${DEBIAN} AS libraries', 'scratch'])
  const taken = wordsOf('COPY').filter((words) => words.startsWith('--from=libraries '))
  for (const path of taken
    .join(' ')
    .split(' ')
    .filter((word) => word.startsWith('/')))
    expect(path).toMatch(
      /^(?:\/lib64\/(?:ld-linux-x86-64\.so\.2)?|(?:\/usr)?\/lib\/x86_64-linux-gnu\/(?:\w+(?:\+\+)?\.so\.\d)?|\/tmp)$/,
    )
  expect(wordsOf('ENTRYPOINT').map((words) => JSON.parse(words))).toEqual([['/usr/bin/touchstone']])
  expect(wordsOf('CMD').map((words) => JSON.parse(words))).toEqual([['--help']])
})

test('runs as a user that is not root, by number, so that an orchestrator can see it', () => {
  expect(wordsOf('USER')).toEqual(['65532:65532'])
  expect(instructions.findLastIndex(({ name }) => name === 'USER')).toBeGreaterThan(
    instructions.findLastIndex(({ name }) => name === 'WORKDIR'),
  )
})
