import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Route, routes } from '@batua/contract'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const INFO = { title: 'Batua', version: '1.0.0', description: 'Wallets', serverUrl: 'https://wallet.test' }
/** It reports nothing about its runs and asks for no newer version. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

test('the OpenAPI document passes the recommended rules of Redocly without a warning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-openapi-'))
  const file = join(folder, 'openapi.json')
  const served = Object.values<Route>(routes).map(one => ({ route: one, counted: true }))
  writeFileSync(file, JSON.stringify(openApiDocument(served, INFO)))
  const args = ['lint', '--extends=recommended', '--format=json', file]
  const run = spawnSync(process.execPath, [join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...OFFLINE },
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  expect([run.status, run.stderr.includes('rror')], run.stderr).toEqual([0, false])
  expect(JSON.parse(run.stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
})
