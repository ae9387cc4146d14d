import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('docs/security.md', root), 'utf8')
const policy = readFileSync(new URL('SECURITY.md', root), 'utf8')

test('every file that the security page refers to exists', () => {
  const named = [...page.matchAll(/`((?:e2e|service|sdk|contract)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(path => !existsSync(new URL(path, root)))).toEqual([])
})

test('every command that the security pages name exists in this project', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    scripts: Record<string, string>
  }
  const known = [...Object.keys(scripts), 'start']
  const named = [...`${page}\n${policy}`.matchAll(/`npm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name)
  expect(named.filter(name => !known.includes(name))).toEqual([])
})

test('the page on reporting contains no e-mail address', () => {
  expect(policy).not.toMatch(/[\w.+-]+@[\w-]+\.\w+/)
})
