import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVENTS } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, canRunBash, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import { docTable } from './src/doc-tables.ts'
import { freePort } from './src/free-port.ts'
import { openPageStage, type PageStage, readPage } from './src/page-stage.ts'

const page = readPage('docs/webhooks.md')

interface Schema {
  readonly description?: string
  readonly properties: Readonly<Record<string, { readonly type?: unknown }>>
}

/** The page's row for an event, made from the contract. */
function rowOf([name, { description, properties }]: [string, Schema]) {
  const fields = Object.entries(properties).map(([field, { type }]) =>
    Array.isArray(type) ? `${field}?` : field,
  )
  return { Event: name, 'What happened': description, Data: fields.join(', ') }
}

test('the webhooks page lists every event with its data, and no other', () => {
  const schemas = EVENTS as unknown as Readonly<Record<string, Schema>>
  expect(docTable('webhooks.md', 'Events')).toEqual(Object.entries(schemas).map(rowOf))
})

describe.skipIf(!canRunBash)('the webhooks page', () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await openPageStage()
  })

  afterAll(() => stage?.close())

  test('each command and each program on the page works and prints the page’s output', {
    timeout: 120_000,
  }, async () => {
    const { adapt, restore } = placed(stage.service.address, await freePort())
    const programs = programsIn(page)
    expect(programs.map(([name]) => name)).toEqual(['receiver.mjs', 'by-hand.mjs'])
    for (const [name, text] of programs) writeFileSync(join(stage.scratch, name), adapt(text))
    const blocks = blocksIn(page)
    expect(blocks.length).toBeGreaterThan(8)
    const printed = await typed(blocks, adapt, stage.shell)
    for (const [index, { prints }] of blocks.entries()) {
      expect.soft(restore(printed[index] ?? '')).toMatch(patternOf(prints))
    }
  })

  test('the receiver has fewer than 20 lines', () => {
    const [receiver] = programsIn(page).map(([, text]) => text.trimEnd().split('\n'))
    expect(receiver?.length).toBeLessThan(20)
  })
})
