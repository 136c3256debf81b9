// Checks the image and the compose file without a build: every path and setting in them exists, and the server runs from
// the copied files alone, in a read-only folder.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import packageJson from '../package.json' with { type: 'json' }
import { usageOf } from '../server/config/settings-help.ts'
import { startInstance } from './start-instance.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dockerfile = readFileSync(new URL('Dockerfile', import.meta.url), 'utf8').replaceAll(/\\\n\s*/g, '')

const nginx = readFileSync(new URL('nginx.conf', import.meta.url), 'utf8')

const service = z.object({
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).optional(),
  build: z
    .object({ context: z.string(), dockerfile: z.string(), args: z.record(z.string(), z.string()) })
    .optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  volumes: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  stop_grace_period: z.string().optional(),
})
const { services, volumes } = z
  .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.unknown()) })
  .parse(parse(readFileSync(new URL('compose.yaml', import.meta.url), 'utf8'), { merge: true }))
const instances = Object.entries(services).filter(([name]) => name.startsWith('touchstone-'))

/** The files that the image copies from the build folder: their paths and targets. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words = '']) => {
  const paths = words.split(' ')
  const target = paths.pop() ?? ''
  return paths.map((path) => ({ path, target: target.endsWith('/') ? join(target, basename(path)) : target }))
})

test('the image starts the server as `npm start` does', () => {
  const [, command = '[]'] = /^CMD (.+)$/m.exec(dockerfile) ?? []
  expect(JSON.parse(command).join(' ')).toBe(packageJson.scripts.start)
})

describe('compose.yaml', () => {
  test('its instances are those of the balancer, two or more', () => {
    const balanced = nginx.matchAll(/server ([\w-]+):8080 /g)
    expect(instances.length).toBeGreaterThanOrEqual(2)
    expect([...balanced].map(([, name]) => name)).toEqual(instances.map(([name]) => name))
  })

  test('every setting of an instance is one that the server has', () => {
    // The one variable that has its name from another setting.
    const settings = new Set([...usageOf('').matchAll(/\b[A-Z]+(?:_[A-Z]+)*(?=  )/g)].map(String)).add(
      'UPSTREAM_KEY',
    )
    for (const [, { environment = {} }] of instances)
      expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
  })

  test('what a service waits for exists, and says whether it is well', () => {
    for (const { depends_on: waits = {} } of Object.values(services))
      for (const [name, { condition }] of Object.entries(waits)) {
        expect(Object.keys(services)).toContain(name)
        expect(condition).toBe('service_healthy')
        expect(services[name]?.healthcheck ?? services[name]?.build).toBeDefined()
      }
  })

  test('what is built and mounted exists', () => {
    const here = fileURLToPath(new URL('.', import.meta.url))
    for (const { build, volumes: mounts = [] } of Object.values(services)) {
      if (build !== undefined) {
        expect(existsSync(join(here, build.context, build.dockerfile))).toBe(true)
        for (const name of Object.keys(build.args))
          expect(dockerfile).toMatch(new RegExp(`^ARG ${name}\\b`, 'm'))
      }
      for (const mount of mounts) {
        const [source = ''] = mount.split(':')
        expect(source.startsWith('.') ? existsSync(join(here, source)) : source in volumes).toBe(true)
      }
    }
  })

  test('an instance can write only to its volume, and may finish requests in flight', () => {
    for (const [, { read_only: readOnly, stop_grace_period: grace }] of instances) {
      expect(readOnly).toBe(true)
      expect(Number.parseInt(grace ?? '', 10)).toBeGreaterThan(10)
    }
  })

  test('Redis forgets no count', () => {
    expect(services['redis']?.command?.join(' ')).toContain('--maxmemory-policy noeviction')
  })
})

describe('the image', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-image-'))
  })
  afterAll(() => {
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true, force: true })
  })

  test('every path that is copied exists, and is let through', () => {
    const rules = readFileSync(new URL('Dockerfile.dockerignore', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    expect(rules[0]).toBe('*')
    const letThrough = new Set(rules.flatMap((rule) => (rule.startsWith('!') ? [rule.slice(1)] : [])))
    expect(copied.length).toBeGreaterThan(4)
    expect(copied.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
    expect(copied.filter(({ path }) => !letThrough.has(path))).toEqual([])
  })

  test('holds all that the server needs, and the server needs to write only into its data folder', async () => {
    const app = join(folder, 'app')
    const data = join(folder, 'data')
    for (const { path, target } of copied)
      cpSync(join(root, path), join(app, target), {
        recursive: true,
        filter: (source) => !source.endsWith('.test.ts'),
      })
    // Node also finds it in the parent folder.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    execFileSync('chmod', ['-R', 'a-w', app])
    const before = contents(app)
    execFileSync('mkdir', ['-m', '0700', data])
    const instance = await startInstance({
      name: 'the image',
      program: app,
      env: { DATA_DIR: data, NODE_ENV: 'production', LOG_LEVEL: 'warn' },
      logFile: join(folder, 'log'),
    })
    try {
      const paths = ['/readyz', '/docs', '/openapi.json', '/dashboard/sign-in']
      const answers = await Promise.all(paths.map((path) => fetch(instance.url + path)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    } finally {
      await instance.kill()
    }
    // Permissions do not stop root: a write would change this list.
    expect(contents(app)).toEqual(before)
  })
})

/** Every file below a folder with the time of its last change. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (path) => `${path} ${lstatSync(join(folder, path)).mtimeMs}`,
  )
}

test('the compose file publishes ports on the loopback address only, and the balancer logs no path', () => {
  const published = Object.values(services).flatMap(({ ports }) => ports)
  expect(published).toEqual(['127.0.0.1:8080:8080'])
  const format = /log_format plain ([^;]*);/.exec(nginx)?.[1] ?? '$uri'
  expect(format).not.toMatch(/\$(uri|request|request_uri|document_uri|args)\b/)
})
