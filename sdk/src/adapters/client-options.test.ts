import { expectTypeOf, test } from 'vitest'
import type { PayingToolsOptions } from './mcp-buyer.ts'
import type { ChargeClientOptions } from './mpp-client.ts'
import type { ExactClientOptions } from './x402-client.ts'

test('buyers that do not pay by vouchers refuse the options of vouchers', () => {
  expectTypeOf<ExactClientOptions>().not.toHaveProperty('tab')
  expectTypeOf<ChargeClientOptions>().not.toHaveProperty('tab')
  expectTypeOf<PayingToolsOptions>().not.toHaveProperty('tab')
})
