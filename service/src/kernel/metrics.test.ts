import { expect, test } from 'vitest'
import { addFigures, createMetrics } from './metrics.ts'

async function shown(read: () => Promise<number>): Promise<string[]> {
  const metrics = createMetrics()
  const figures = [
    { name: 'part_size', help: 'Size', value: (size: number) => size },
    { name: 'part_double', help: 'Its double', value: (size: number) => 2 * size },
    { name: 'part_sides', help: 'By side', label: 'side', values: (size: number) => ({ left: size }) },
  ]
  addFigures(metrics, figures, read)
  return (await metrics.metrics()).split('\n').filter(line => line.startsWith('part_'))
}

test('the gauges of a group share one read', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    return 21
  }
  expect(await shown(read)).toEqual(['part_size 21', 'part_double 42', 'part_sides{side="left"} 21'])
  expect(reads).toBe(1)
})

test('gauges that cannot be read have no value instead of 0, and other gauges are still shown', async () => {
  const away = () => Promise.reject(new Error('the database is away'))
  expect(await shown(away)).toEqual(['part_size Nan', 'part_double Nan'])
})
