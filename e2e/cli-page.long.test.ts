import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApi } from './src/api.ts'
import { blocksIn, canRunBash, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import { docTable } from './src/doc-tables.ts'
import { freePort } from './src/free-port.ts'
import { openNetwork } from './src/network.ts'
import { openPageStage, type PageStage, readPage } from './src/page-stage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const page = readPage('docs/cli.md')
const run = promisify(execFile)

/** Node as the tests run on it, and another that this machine has. */
function nodes(): string[] {
  const { stdout } = spawnSync('bash', ['-c', 'type -ap node'], { encoding: 'utf8' })
  const versions = [process.execPath, ...stdout.split('\n').filter(path => path !== '')].map(path => {
    return [spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim(), path] as const
  })
  return [...new Map(versions).values()]
}

describe.skipIf(!canRunBash)('the page of the command line', () => {
  let stage: PageStage
  let prefix: string
  let env: Readonly<Record<string, string>>

  beforeAll(async () => {
    stage = await openPageStage()
    prefix = join(stage.folder, 'installed')
    mkdirSync(prefix)
    // The first commands of the page, with npm itself and without the configuration of the tests. The tarball is made
    // and installed elsewhere than in the project's folder.
    const [, commands = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
    const placedElsewhere = commands
      .replace('--workspace cli', `${join(ROOT, 'cli')} --pack-destination ${prefix}`)
      .replace('./batua-cli', join(prefix, 'batua-cli'))
    const npm = {
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_audit: 'false',
      HOME: prefix,
    }
    await run('bash', ['-euc', placedElsewhere], {
      cwd: stage.folder,
      env: { PATH: process.env['PATH'] ?? '', ...npm },
    })
    const path = `${join(prefix, 'bin')}:${stage.shell.env['PATH']}`
    env = { ...stage.shell.env, PATH: path, HOME: prefix, XDG_CONFIG_HOME: join(prefix, 'config') }
  })
  afterAll(() => stage?.close())

  test('each command works and prints the page’s output', { timeout: 180_000 }, async () => {
    const { adapt, restore } = placed(stage.service.address, await freePort(), await freePort())
    const withPorts = (text: string) => adapt(text).replaceAll('localhost:9001', adapt('127.0.0.1:9001'))
    const programs = programsIn(page)
    expect(programs.map(([name]) => name)).toEqual(['shop.mjs'])
    for (const [name, text] of programs) writeFileSync(join(stage.folder, name), withPorts(text))
    const blocks = blocksIn(page)
    expect(blocks.length).toBeGreaterThan(7)
    const printed = await typed(blocks, withPorts, { cwd: stage.folder, env })
    for (const [index, { prints }] of blocks.entries())
      expect.soft(restore(printed[index] ?? '')).toMatch(patternOf(prints))
  })

  test('the installed package is one file without dependencies or install scripts, whose text names no folder of its makers', () => {
    const installed = join(prefix, 'lib', 'node_modules', '@batua', 'cli')
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter(each =>
      each.isFile(),
    )
    expect(files.map(({ name }) => name).toSorted()).toEqual(['README.md', 'batua.js', 'package.json'])
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { scripts: object }
    expect(Object.keys(manifest).filter(key => /^(?!dev).*dependencies$/i.test(key))).toEqual([])
    expect(Object.keys(manifest.scripts).filter(name => name.includes('install'))).toEqual([])
    const code = readFileSync(join(installed, 'dist', 'batua.js'), 'utf8')
    expect(code).not.toContain(ROOT)
  })

  test.each(nodes())('on %s it logs in, pays, and verifies the receipt', async node => {
    const api = openApi(stage.service.address)
    const network = openNetwork(api)
    const owner = await network.owner(await network.platform())
    const [payer, payee] = [await network.fundedAgent(owner), await network.agent(owner)]
    const file = join(prefix, 'lib', 'node_modules', '@batua', 'cli', 'dist', 'batua.js')
    const batua = (...args: string[]) => [node, file, ...args].join(' ')
    const own = { ...env, XDG_CONFIG_HOME: join(prefix, `of-${payer.id}`), KEY: payer.key }
    const bash = async (script: string) =>
      (await run('bash', ['-euo', 'pipefail', '-c', script], { env: own })).stdout
    await bash(`echo "$KEY" | ${batua('login', '--url', stage.service.address, '--agent-key-stdin')}`)
    const paid = JSON.parse(await bash(batua('pay', payee.id, '12.50', '--json'))) as { receipt_id: string }
    const params = { receipt_id: paid.receipt_id }
    const receipt = join(stage.folder, `${paid.receipt_id}.json`)
    writeFileSync(
      receipt,
      JSON.stringify(await api.ok(routes.getReceipt, { params, headers: payer.headers })),
    )
    expect(await bash(batua('verify', receipt))).toMatch(/^genuine: receipt rcp_\w+ of 12\.50 INR/)
  })

  test('from nothing to the first payment takes less than a minute', async () => {
    const [first] = blocksIn(page)
    const startedAt = Date.now()
    const { adapt } = placed(stage.service.address, 0)
    const fresh = { ...env, XDG_CONFIG_HOME: join(prefix, 'fresh') }
    const printed = await typed(first === undefined ? [] : [first], adapt, { cwd: stage.folder, env: fresh })
    expect(printed.join('')).toContain('status   completed')
    expect(Date.now() - startedAt).toBeLessThan(60_000)
  })
})

test('the page explains every exit code that --help lists', async () => {
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@batua/source', 'cli/src/batua.ts', '--help'],
    { cwd: ROOT },
  )
  const [, listed = ''] = /Exit codes:\n(.*?)\n\n/s.exec(stdout) ?? []
  const codes = [...listed.matchAll(/(?:^| )(\d+) (?=[a-z])/gm)].map(([, code]) => code)
  expect(docTable('cli.md', 'In scripts').map(row => row['Exit code'])).toEqual(
    codes.toSorted((a, b) => Number(a) - Number(b)),
  )
})
