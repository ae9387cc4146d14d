import { EVENT_NAMES } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, jsonOf, logPlatformIn, openCli } from './src/cli.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let cli: Cli

beforeAll(async () => {
  stage = await openPayingStage()
  cli = openCli()
  expect(await logPlatformIn(cli, stage.service.address, stage.platform)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  cli?.remove()
  await stage?.close()
})

/** It needs an address; a stage has none. */
const NEEDS_A_URL = 'webhook.test'

test.each(EVENT_NAMES.filter(name => name !== NEEDS_A_URL))(
  'batua trigger %s makes the event happen and prints it',
  async name => {
    const ended = await cli.run(['trigger', name, '--json', '--timeout', '60'])
    expect([ended.code, ended.stderr.replaceAll(/Advancing.*\n/g, '')]).toEqual([0, ''])
    expect(jsonOf(ended)).toMatchObject({ event: name, data: expect.any(Object) })
  },
)
