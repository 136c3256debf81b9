// Checks the image of the executable without a build: it has that one file, and neither a shell nor root runs it.
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
  expect(wordsOf('COPY')).toEqual([`dist/${file} /usr/bin/touchstone`])
  expect(read('judge.Dockerfile.dockerignore')).toBe(`*\n!dist/${file}\n`)
})

test('has no shell: no instruction is run while it is built, and its commands are lists of words', () => {
  expect(wordsOf('RUN')).toEqual([])
  expect(wordsOf('FROM')).toEqual(['${BASE}'])
  expect(wordsOf('ARG').join()).toMatch(/^BASE=gcr\.io\/distroless\/cc-/)
  expect(wordsOf('ENTRYPOINT').map((words) => JSON.parse(words))).toEqual([['/usr/bin/touchstone']])
  expect(wordsOf('CMD').map((words) => JSON.parse(words))).toEqual([['--help']])
})

test('runs as a user that is not root, by number, so that an orchestrator can see it', () => {
  expect(wordsOf('USER')).toEqual(['65532:65532'])
  expect(instructions.findLastIndex(({ name }) => name === 'USER')).toBeGreaterThan(
    instructions.findLastIndex(({ name }) => name === 'WORKDIR'),
  )
})
