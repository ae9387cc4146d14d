import { type Clock, systemClock } from '../../../../kernel/clock.ts'
import { service } from '../../../../operations/facts.ts'
import { createTestDatabase } from '../../../../testing/database.ts'
import { testOn } from '../../../../testing/database-test.ts'
import { type NetworkContext, networkContext, newOwner, newPlatform } from '../../../../testing/network.ts'
import { createSandboxBankVerifier } from '../../../sandbox/providers/bank-verifier.ts'
import { accountChanges } from '../change-account.ts'
import type { OwnersContext } from '../context.ts'
import { type Owner, selectOwner } from '../store.ts'
import { bankVerifications, submitKyc } from '../submit-kyc.ts'

/** Owners and the simulated bank on a real database. */
export interface KycStage {
  readonly network: NetworkContext
  readonly context: OwnersContext
  readonly clock: Clock
  newOwner(): Promise<Owner>
  submit(owner: Owner, account: string, by?: OwnersContext): Promise<Owner>
  stored(owner: Owner): Promise<Owner>
  /** Advances the clock and runs due checks and changes. */
  advance(seconds: number): Promise<void>
  /** Status and reason of each KYC event of the owner. */
  events(owner: Owner): Promise<string[]>
  openChecks(owner: Owner): Promise<number>
  close(): Promise<void>
}

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: KycStage

export const test = testOn(openKycStage, opened => {
  stage = opened
})

export async function openKycStage(): Promise<KycStage> {
  const testDatabase = await createTestDatabase()
  const { database } = testDatabase
  const clock = systemClock()
  const network = networkContext(database, clock)
  const context: OwnersContext = { ...network, bankVerifier: createSandboxBankVerifier(network) }
  const { platform } = await newPlatform(network)
  return {
    network,
    context,
    clock,
    newOwner: () => newOwner(network, platform.id),
    submit: (owner, account, by = context) =>
      submitKyc(by, service('test'), owner, { bank_account: account, bank_ifsc: 'hdfc0001234' }),
    async stored({ id }) {
      const found = await selectOwner(database, id)
      if (found === null) throw new Error('owners are never deleted')
      return found
    },
    async advance(seconds) {
      clock.setOffsetMs(clock.offsetMs() + seconds * 1_000)
      while ((await bankVerifications(context).run(clock.now())) > 0);
      while ((await accountChanges(context).run(clock.now())) > 0);
    },
    async events({ id }) {
      const events = await database.query<{ data: { kyc_status: string; reason: string | null } }>(
        `select data from events where owner_id = $1 and name = 'owner.kyc.updated' order by id`,
        [id],
      )
      return events.map(({ data }) => `${data.kyc_status} ${data.reason}`)
    },
    async openChecks({ id }) {
      return (await database.query(`select id from kyc_checks where owner_id = $1`, [id])).length
    },
    close: () => testDatabase.drop(),
  }
}
