import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDataDir } from './data-dir.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'batua-data-dir-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a data folder and the folders above it are made when they are missing', () => {
  const wanted = join(folder, 'new', 'deep')
  makeDataDir(wanted)
  makeDataDir(wanted)
  expect(statSync(wanted).isDirectory()).toBe(true)
})

test('a data folder that is a file, or lies below one, is refused in one sentence that names DATA_DIR', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  for (const wanted of [file, join(file, 'below')]) {
    expect(() => makeDataDir(wanted)).toThrow(
      `DATA_DIR ${wanted} cannot be used: ${file} is a file, not a folder.`,
    )
  }
})

test('a data folder that the system refuses to make is refused at once in one sentence', () => {
  expect(() => makeDataDir('/proc/batua/data')).toThrow(
    /^DATA_DIR \/proc\/batua\/data cannot be used: \/proc\/batua/,
  )
})

test('an existing data folder keeps its permissions', () => {
  const existing = join(folder, 'private')
  mkdirSync(existing, { mode: 0o700 })
  makeDataDir(existing)
  expect(statSync(existing).mode & 0o777).toBe(0o700)
})
