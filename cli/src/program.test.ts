import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { main } from './main.ts'
import { createProgram } from './program.ts'

const program = createProgram(() => async () => undefined, {})

/** The words of each command, such as `approvals reject`. */
function pathsOf(command: Command, before = ''): string[] {
  return command.commands.flatMap(each => {
    const path = `${before} ${each.name()}`.trim()
    return [path, ...pathsOf(each, path)]
  })
}

async function printed(args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const { signal } = new AbortController()
  const exit = await main({ args, env: {}, stdin: Readable.from([]), stdout, stderr, signal })
  stdout.end()
  stderr.end()
  return { exit, stdout: await text(stdout), stderr: await text(stderr) }
}

test.each(pathsOf(program))('%s has help with an example', async path => {
  const { exit, stdout, stderr } = await printed([...path.split(' '), '--help'])
  expect([exit, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`Usage: batua ${path}`)
  expect(stdout.split('Example:\n')[1]).toContain(`batua ${path.split(' ')[0]}`)
})

test('the help lists every command, and there is no other', async () => {
  const names = program.commands.map(command => command.name()).toSorted()
  expect(names.join(' ')).toBe(
    'agents approvals clock completion doctor fetch fund listen login logout logs mcp open pay statement trigger verify whoami',
  )
  const { stdout } = await printed(['--help'])
  for (const name of names) expect(stdout).toContain(`\n  ${name} `)
})
