import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './src/stage.ts'

let stage: Stage
let folder: string
let file: string

function configure(variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(file, lines.join(''))
}

/** Sends the signal, and waits for what the service logs about it. */
async function reload(logged: string): Promise<string> {
  const before = stage.service.output().length
  process.kill(stage.service.pid(), 'SIGHUP')
  const output = () => stage.service.output().slice(before)
  await expect.poll(output).toContain(logged)
  return output()
}

const page = () => fetch(`${stage.service.address}/openapi.json`)

describe.each([1, 2])('a node of %i processes', workers => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'batua-reload-'))
    file = join(folder, 'batua.env')
    configure({ RATE_LIMIT_PAGES: '3', LOG_LEVEL: 'warn' })
    // What the environment has goes before the file; these are absent in it.
    stage = await openStage({
      CONFIG_FILE: file,
      RATE_LIMIT_PAGES: '',
      LOG_LEVEL: '',
      WORKERS: String(workers),
    })
  })
  afterAll(async () => {
    await stage.close()
    rmSync(folder, { recursive: true })
  })

  test('SIGHUP applies rate limits and the log level of the file, and names the settings that need a restart', async () => {
    for (let requests = 0; requests < 3; requests++) expect((await page()).status).toBe(200)
    expect((await page()).status).toBe(429)
    configure({ RATE_LIMIT_PAGES: '50', LOG_LEVEL: 'info', SERVICE_NAME: 'other' })
    const output = await reload('configuration read again')
    expect(output).toContain('"changes":["serviceName"]')
    const after = await page()
    expect([after.status, after.headers.get('ratelimit-limit')]).toEqual([200, '50'])
    await expect.poll(stage.service.output).toContain('"route":"/openapi.json"')
  })

  test('SIGHUP with an invalid file changes nothing, and the service keeps running', async () => {
    configure({ RATE_LIMIT_PAGES: 'many', LOG_LEVLE: 'debug' })
    const output = await reload('configuration not read again')
    expect(output).toContain('RATE_LIMIT_PAGES: must be')
    expect(output).toContain('CONFIG_FILE: has LOG_LEVLE')
    expect((await page()).headers.get('ratelimit-limit')).toBe('50')
  })

  test('0 removes a limit, and a limit can be set again', async () => {
    configure({ RATE_LIMIT_PAGES: '0', LOG_LEVEL: 'warn' })
    await reload('configuration read again')
    expect((await page()).headers.get('ratelimit-limit')).toBeNull()
    configure({ RATE_LIMIT_PAGES: '1', LOG_LEVEL: 'warn' })
    await reload('configuration read again')
    expect((await page()).status).toBe(429)
  })
})
