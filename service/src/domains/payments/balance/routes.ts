import { getBalance } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Serve } from '../../../http/serve.ts'
import { readBalance } from './read-balance.ts'

export interface WalletsContext {
  readonly database: Database
}

export function serveWallets(serve: Serve, { database }: WalletsContext): void {
  serve(getBalance, ({ caller, params }) => readBalance(database, caller, params.agent_id))
}
