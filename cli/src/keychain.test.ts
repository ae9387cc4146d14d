import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeychain } from './keychain.ts'
import { openProfiles } from './profiles.ts'

let folder: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'batua-keychain-'))
  env = {
    PATH: `${folder}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    XDG_CONFIG_HOME: folder,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    STORE: join(folder, 'store.json'),
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A tool of the system that keeps secrets in a file and writes down its arguments. */
function install(tool: string, program: string): void {
  const head = `#!/usr/bin/env node
const fs = require('fs')
const args = process.argv.slice(2)
fs.appendFileSync('${join(folder, 'args.txt')}', args.join(' ') + '\\n')
const store = fs.existsSync(process.env.STORE) ? JSON.parse(fs.readFileSync(process.env.STORE)) : {}
const save = () => fs.writeFileSync(process.env.STORE, JSON.stringify(store))
`
  writeFileSync(join(folder, tool), head + program, { mode: 0o755 })
}

const SECRET_TOOL = `
const account = args.at(-1)
if (args[0] === 'store') { store[account] = fs.readFileSync(0, 'utf8'); save() }
if (args[0] === 'clear') { delete store[account]; save() }
if (args[0] === 'lookup') { if (!(account in store)) process.exit(1); process.stdout.write(store[account]) }
`

const SECURITY = `
const named = text => /-a "?([^" ]+)"?/.exec(text)[1]
if (args[0] === '-i') {
  const command = fs.readFileSync(0, 'utf8')
  store[named(command)] = /-w "([^"]*)"/.exec(command)[1]
  save()
} else {
  const account = named(args.join(' '))
  if (!(account in store)) process.exit(44)
  if (args[0] === 'delete-generic-password') { delete store[account]; save() }
  else process.stdout.write(store[account] + '\\n')
}
`

const SECRET = 'agk_live_abcDEF-123_456'

describe.each([
  ['linux', 'secret-tool', SECRET_TOOL],
  ['darwin', 'security', SECURITY],
] as const)('the keychain of %s', (platform, tool, program) => {
  test('keeps secrets by account, which are never arguments', async () => {
    install(tool, program)
    const keychain = openKeychain(platform, env)
    expect(await keychain?.set('default/agent', SECRET)).toBe(true)
    expect(await keychain?.get('default/agent')).toBe(SECRET)
    expect(await keychain?.get('other/agent')).toBe(null)
    await keychain?.remove('default/agent')
    expect(await keychain?.get('default/agent')).toBe(null)
    expect(readFileSync(join(folder, 'args.txt'), 'utf8')).not.toContain(SECRET)
  })

  test('does not count if its tool is missing, fails, or gives back something else', async () => {
    expect(await openKeychain(platform, { ...env, PATH: folder })?.set('default/agent', SECRET)).toBe(false)
    install(tool, 'process.exit(1)')
    expect(await openKeychain(platform, env)?.set('default/agent', SECRET)).toBe(false)
    install(tool, `process.stdout.write('other')`)
    expect(await openKeychain(platform, env)?.set('default/agent', SECRET)).toBe(false)
  })
})

test('a secret that could end a command of the macOS tool is not given to it', async () => {
  install('security', SECURITY)
  expect(await openKeychain('darwin', env)?.set('default/agent', 'x" -w "y')).toBe(false)
})

test('there is no keychain without a session of a desktop', () => {
  expect(openKeychain('linux', { PATH: env['PATH'] })).toBe(null)
  expect(openKeychain('win32', env)).toBe(null)
})

test('with a keychain, the file of a profile has no secret', async () => {
  install('secret-tool', SECRET_TOOL)
  const profiles = openProfiles('default', env, openKeychain('linux', env))
  const kept = await profiles.keep('platform', SECRET)
  await profiles.write({ url: 'https://batua.example', platform: { ...kept, platform_id: 'plt_1' } })
  expect(readFileSync(join(folder, 'batua', 'default.json'), 'utf8')).not.toContain(SECRET)
  const { platform } = (await profiles.read()) ?? {}
  expect(platform && (await profiles.secret('platform', platform))).toBe(SECRET)
  await profiles.remove()
  expect([await profiles.read(), readFileSync(env['STORE'] ?? '', 'utf8')]).toEqual([null, '{}'])
})
