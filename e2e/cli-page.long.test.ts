import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApi } from './src/api.ts'
import { blocksIn, canRunBash, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import { docTable } from './src/doc-tables.ts'
import { type ForeignPackages, installPackages } from './src/foreign-packages.ts'
import { freePort } from './src/free-port.ts'
import { openNetwork } from './src/network.ts'
import { openPageStage, type PageStage, readPage } from './src/page-stage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const page = readPage('docs/cli.md')
const run = promisify(execFile)

/** The versions of Node that this machine has, with their programs: that of the tests, and others of the path. */
function nodes(): (readonly [string, string])[] {
  const { stdout } = spawnSync('bash', ['-c', 'type -ap node'], { encoding: 'utf8' })
  const versions = [process.execPath, ...stdout.split('\n').filter(path => path !== '')].map(path => {
    return [spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim(), path] as const
  })
  return versions
}

/** The program of a version of Node: of this machine, or else of the package that has it. */
async function nodeOf(major: number, installed: ForeignPackages[]): Promise<string> {
  const here = nodes().find(([version]) => version.startsWith(`v${major}.`))
  if (here !== undefined) return here[1]
  const name = `node-${process.platform}-${process.arch}`
  const foreign = await installPackages('node', [`${name}@${major}`])
  installed.push(foreign)
  return join(foreign.folder, 'node_modules', name, 'bin', 'node')
}

/** The environment of npm, with a home of its own: the package needs no other package. */
function offline(home: string) {
  return { npm_config_offline: 'true', npm_config_audit: 'false', HOME: home }
}

function tarballIn(folder: string): string {
  const made = readdirSync(folder).filter(name => name.endsWith('.tgz'))
  expect(made).toHaveLength(1)
  return join(folder, made[0] ?? '')
}

describe.skipIf(!canRunBash)('the page of the command line', () => {
  let stage: PageStage
  let prefix: string
  let installMs: number
  let env: Readonly<Record<string, string>>
  const installed: ForeignPackages[] = []

  beforeAll(async () => {
    stage = await openPageStage()
    // The stage's folder links the packages of the project, in which a forgotten import would be found.
    prefix = mkdtempSync(join(tmpdir(), 'batua-installed-'))
    // The first commands of the page, with npm itself and without the configuration of the tests. The tarball is made
    // and installed elsewhere than in the project's folder.
    const [, commands = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
    const placedElsewhere = commands
      .replace('--workspace cli', `${join(ROOT, 'cli')} --pack-destination ${prefix}`)
      .replace('./batua-cli', join(prefix, 'batua-cli'))
    const startedAt = Date.now()
    await run('bash', ['-euc', placedElsewhere], {
      cwd: stage.folder,
      env: { PATH: process.env['PATH'] ?? '', npm_config_prefix: prefix, ...offline(prefix) },
    })
    installMs = Date.now() - startedAt
    const path = `${join(prefix, 'bin')}:${stage.shell.env['PATH']}`
    env = { ...stage.shell.env, PATH: path, HOME: prefix, XDG_CONFIG_HOME: join(prefix, 'config') }
  })
  afterAll(async () => {
    await stage?.close()
    for (const foreign of installed) foreign.remove()
    if (prefix !== undefined) rmSync(prefix, { recursive: true, force: true })
  })

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

  test('the installed package is one file without dependencies or install scripts, and contains no path of the build machine', () => {
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
    const required = createRequire(join(installed, 'dist', 'batua.js'))
    for (const name of ['commander', '@batua/sdk']) expect(() => required.resolve(name)).toThrow(name)
  })

  /** A version of Node with the npm that comes with it, from which a package cannot hide that it needs a newer one. */
  async function npmOf(node: string, ownNpm: string | null): Promise<string> {
    if (ownNpm === null) return `PATH=${dirname(node)}:$PATH npm`
    const foreign = await installPackages('npm', [ownNpm])
    installed.push(foreign)
    return `${node} ${join(foreign.folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')}`
  }

  // The oldest that it supports, and that of the project.
  test.each([
    [20, 'npm@10.8.2'],
    [26, null],
  ] as const)(
    'with Node %s and its own npm, an empty folder leads in less than a minute to the first payment, whose receipt verifies',
    async (major, ownNpm) => {
      const node = await nodeOf(major, installed)
      const npm = await npmOf(node, ownNpm)
      const api = openApi(stage.service.address)
      const network = openNetwork(api)
      const owner = await network.owner(await network.platform())
      const [payer, payee] = [await network.fundedAgent(owner), await network.agent(owner)]
      const empty = mkdtempSync(join(prefix, 'empty-'))
      const batua = (...args: string[]) => [node, 'node_modules/@batua/cli/dist/batua.js', ...args].join(' ')
      const own = { ...env, ...offline(prefix), XDG_CONFIG_HOME: join(empty, 'config'), KEY: payer.key }
      const bash = async (script: string) =>
        (await run('bash', ['-euo', 'pipefail', '-c', script], { env: own, cwd: empty })).stdout
      expect(await bash(`${node} --version`)).toMatch(new RegExp(`^v${major}\\.`))
      expect(await bash(`${npm} --version`)).toMatch(ownNpm === null ? /^11\./ : /^10\./)
      const startedAt = Date.now()
      expect(await bash(`${npm} install ${tarballIn(prefix)}`)).toContain('added 1 package')
      await bash(`echo "$KEY" | ${batua('login', '--url', stage.service.address, '--agent-key-stdin')}`)
      const paid = JSON.parse(await bash(batua('pay', payee.id, '12.50', '--json'))) as { receipt_id: string }
      expect(Date.now() - startedAt).toBeLessThan(60_000)
      const params = { receipt_id: paid.receipt_id }
      const receipt = join(empty, 'receipt.json')
      writeFileSync(
        receipt,
        JSON.stringify(await api.ok(routes.getReceipt, { params, headers: payer.headers })),
      )
      expect(await bash(batua('verify', receipt))).toMatch(/^genuine: receipt rcp_\w+ of 12\.50 INR/)
    },
  )

  test('from nothing to the first payment, making and installing the package included, takes less than a minute', async () => {
    const [first] = blocksIn(page)
    const startedAt = Date.now()
    const { adapt } = placed(stage.service.address, 0)
    const fresh = { ...env, XDG_CONFIG_HOME: join(prefix, 'fresh') }
    const printed = await typed(first === undefined ? [] : [first], adapt, { cwd: stage.folder, env: fresh })
    expect(printed.join('')).toContain('status   completed')
    expect(installMs + Date.now() - startedAt).toBeLessThan(60_000)
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
