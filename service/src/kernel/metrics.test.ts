import { expect, test } from 'vitest'
import { addFigures, createMetrics, type Figures } from './metrics.ts'

async function shown(read: () => Promise<number>): Promise<string[]> {
  const metrics = createMetrics()
  const figures: Figures<number> = {
    batua_audit_leaves: size => size,
    batua_webhook_queue_rows: size => 2 * size,
    batua_ledger_check_agrees: size => ({ wallets: size }),
  }
  addFigures(metrics, figures, read)
  return (await metrics.metrics()).split('\n').filter(line => line.startsWith('batua_'))
}

test('the gauges of a group share one read', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    return 21
  }
  expect(await shown(read)).toEqual([
    'batua_audit_leaves 21',
    'batua_webhook_queue_rows 42',
    'batua_ledger_check_agrees{of="wallets"} 21',
  ])
  expect(reads).toBe(1)
})

test('gauges that cannot be read have no value instead of 0, and other gauges are still shown', async () => {
  const away = () => Promise.reject(new Error('the database is away'))
  expect(await shown(away)).toEqual(['batua_audit_leaves Nan', 'batua_webhook_queue_rows Nan'])
})
