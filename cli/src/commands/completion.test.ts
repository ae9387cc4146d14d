import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const BATUA = fileURLToPath(new URL('../batua.ts', import.meta.url))
const SHELLS = ['bash', 'zsh', 'fish'] as const
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0
let folder: string

const script = (shell: string) => readFileSync(join(folder, shell), 'utf8')

function printed(shell: string): Buffer {
  return spawnSync(process.execPath, ['--conditions=@batua/source', BATUA, 'completion', shell]).stdout
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'batua-completion-'))
  for (const shell of SHELLS) writeFileSync(join(folder, shell), printed(shell))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!has('bash'))('in bash', () => {
  const completed = (typed: string) => {
    const words = typed.split(' ')
    const set = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
    const { stdout } = spawnSync('bash', [
      '-euc',
      `. ${join(folder, 'bash')}; ${set}; _batua; echo "\${COMPREPLY[*]}"`,
    ])
    return stdout.toString().trim().split(' ')
  }

  test('commands, commands of a group and options are completed', () => {
    expect(completed('batua wh')).toEqual(['whoami'])
    expect(completed('batua approvals ap')).toEqual(['approve'])
    expect(completed('batua pay --dr')).toEqual(['--dry-run'])
    expect(completed('batua approvals reject apr_1 --rea')).toEqual(['--reason'])
    expect(completed('batua pay --pro')).toEqual(['--profile'])
  })
})

test.each(SHELLS.filter(has))('the script for %s is one that this shell reads', shell => {
  const { status, stderr } = spawnSync(shell, ['-n', join(folder, shell)])
  expect([status, stderr.toString()]).toEqual([0, ''])
})

test('every shell completes every command', () => {
  const names = [...script('fish').matchAll(/__fish_use_subcommand' -a (\w+)/g)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['login', 'pay', 'fetch', 'completion']))
  for (const shell of ['bash', 'zsh']) for (const name of names) expect(script(shell)).toContain(name)
})
