import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { networkTexts } from '../../console/src/admin/agents/texts.ts'
import { ownersTexts as adminOwnersTexts } from '../../console/src/admin/owners/texts.ts'
import { riskTexts } from '../../console/src/admin/risk/texts.ts'
import { tiersTexts } from '../../console/src/admin/tier-texts.ts'
import { agentTexts } from '../../console/src/agents/agent-texts.ts'
import { componentTexts } from '../../console/src/components/texts.ts'
import { newAgentTexts } from '../../console/src/platform/create-agent-texts.ts'
import { ownersTexts } from '../../console/src/platform/owners/texts.ts'
import { escrowsTexts } from '../../console/src/platform/payments/escrow-texts.ts'
import { sandboxTexts } from '../../console/src/platform/sandbox/texts.ts'
import { startTexts } from '../../console/src/platform/start/texts.ts'
import { webhooksTexts } from '../../console/src/platform/webhooks/texts.ts'
import { alertAbout, payInACircle } from '../src/admin-stage.ts'
import type { Headers } from '../src/api.ts'
import { OPPOSITE_VIEWS, openBrowser, openTab, type Tab, type View, viewsOf } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'
import { newHandle, newPan, newPhone } from '../src/network.ts'
import { webhookSink } from '../src/webhook-sink.ts'

let opened: ConsoleStage
let browser: Browser

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

/** A tab, and its two ways to act: the button of a page, and the one of the dialog that it opens. */
async function handsOf(view: View, session: Headers) {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  const button = (name: string) => tab.page.getByRole('button', { name, exact: true })
  const act = async (name: string) => (await tab.dialog()).getByRole('button', { name, exact: true }).click()
  return { tab, page: tab.page, button, act }
}

async function isFlawless(tab: Tab): Promise<void> {
  expect(await tab.isWide()).toBe(false)
  expect(tab.problems).toEqual([])
  await tab.close()
}

test.each(viewsOf(OPPOSITE_VIEWS))(
  'a developer creates, renames and ends, sends a test webhook, releases, refunds, funds and verifies on %s',
  { timeout: 600_000 },
  async (_name, view) => {
    const { language } = view
    const { api, network } = opened.stage
    const platform = await network.platform()
    const session = await logPlatformIn(api, platform)
    const { tab, page, button, act } = await handsOf(view, session)
    const [people, agents, start] = [ownersTexts[language], newAgentTexts[language], startTexts[language]]
    const [agent, escrows, hooks] = [agentTexts[language], escrowsTexts[language], webhooksTexts[language]]
    const sandbox = sandboxTexts[language]
    const dialog = page.getByRole('dialog')

    await tab.open('/console/platform')
    await button(people.create).click()
    await (await tab.dialog()).getByLabel(people.name, { exact: true }).fill('Meera Nair')
    await dialog.getByLabel(people.phone).fill(newPhone())
    await dialog.getByLabel(people.pan).fill(newPan())
    await act(people.createAct)
    await page.getByText(people.isCreated('Meera Nair')).waitFor()
    await tab.inEveryView('owner created')
    await button(agents.create).click()
    await (await tab.dialog()).getByLabel(people.owner).selectOption({ label: 'Meera Nair' })
    await dialog.getByLabel(agents.name).fill('Dispatcher')
    await dialog.getByLabel(agents.handle).fill(newHandle())
    await act(agents.createAct)
    await dialog.getByText(/^agk_live_/).waitFor()
    await tab.inEveryView('first key shown once')
    await act(componentTexts[language].stored)
    await button(hooks.setAddress).click()
    await (await tab.dialog()).getByRole('textbox').fill(await webhookSink())
    await act(hooks.saveAddress)
    await button(hooks.changeAddress).waitFor()
    await tab.inEveryView('webhook address set')
    await button(start.newSecret).click()
    await act(start.newSecret)
    await page.getByText(/^whsec_/).waitFor()
    await tab.inEveryView('webhook secret shown once')
    await tab.open('/console/platform/webhooks')
    await button(hooks.test).click()
    await page.getByText(hooks.tested(204)).waitFor()
    await tab.inEveryView('test webhook sent')
    await button(hooks.retryOne('webhook.test')).first().click()
    await page.getByText(hooks.attempts(2)).waitFor()
    await tab.inEveryView('webhook sent again')

    const [made] = (await api.ok(routes.listAgents, { headers: platform.headers })).agents
    const agentId = made?.agent_id ?? ''
    await tab.open('/console/platform/sandbox')
    const money = page.locator('section').filter({ hasText: sandbox.payments })
    await money.getByLabel(sandbox.agent).selectOption(agentId)
    await money.getByRole('button', { name: sandbox.open }).click()
    await expect.poll(() => money.getByLabel(sandbox.session).inputValue()).toMatch(/^ps_/)
    await money.getByRole('button', { name: sandbox.finish }).click()
    await money.getByText(sandbox.became(sandbox.fundingStatus.completed, '₹487.50')).waitFor()
    await tab.inEveryView('funding played')
    await page.getByLabel(sandbox.owner, { exact: true }).selectOption(made?.owner_id ?? '')
    await page.getByLabel(sandbox.account, { exact: true }).selectOption('900000000012')
    await button(sandbox.verify).click()
    await page.getByText(sandbox.kycBecame.verified).waitFor()
    await tab.inEveryView('bank played')

    const hold = async (reference: string) => {
      const params = { agent_id: agentId }
      const body = { amount: 40, reference, to_agent_id: opened.seller.id }
      return (await api.ok(routes.holdEscrow, { params, headers: platform.headers, body })).escrow_id
    }
    await tab.open(`/console/platform/payments/escrows/${await hold('order-1')}`)
    await button(escrows.release).click()
    await act(escrows.releaseAct('₹40.00'))
    await page.getByText(escrows.isReleased).waitFor()
    await tab.inEveryView('escrow released')
    await tab.open(`/console/platform/payments/escrows/${await hold('order-2')}`)
    await button(escrows.refund).click()
    await act(escrows.refundAct('₹40.00'))
    await page.getByText(escrows.isRefunded).waitFor()
    await tab.inEveryView('escrow refunded')

    await tab.open(`/console/platform/agents/${agentId}`)
    await button(agent.rename).click()
    await (await tab.dialog()).getByRole('textbox').fill('Shipments')
    await act(agent.save)
    await page.getByRole('heading', { name: 'Shipments' }).waitFor()
    await tab.inEveryView('agent renamed')
    await button(agent.deactivateOne('Shipments')).click()
    await act(agent.deactivate)
    await page.getByText(agent.isDeactivated('Shipments')).waitFor()
    await tab.inEveryView('agent deactivated')
    await isFlawless(tab)
  },
)

test.each(viewsOf(OPPOSITE_VIEWS))(
  'an administrator freezes, restores, sets a tier, changes its limits, stops several agents and reviews an alert on %s',
  { timeout: 600_000 },
  async (_name, view) => {
    const { language } = view
    const { api, network } = opened.stage
    const person = await network.owner(await network.platform())
    await network.verify(person)
    const [payer] = await payInACircle(opened.stage, person)
    await api.ok(routes.advanceClock, { body: { advance_seconds: 40 } })
    const alertId = await alertAbout(opened.stage, payer)
    const admin = await network.admin()
    const { tab, page, button, act } = await handsOf(view, admin)
    const [people, agents] = [adminOwnersTexts[language], networkTexts[language]]
    const [risk, limits] = [riskTexts[language], tiersTexts[language]]
    const { tiers } = componentTexts[language]
    const owner = await network.owner(await network.platform())
    const both = [
      await network.agent(owner, { name: 'First' }),
      await network.agent(owner, { name: 'Second' }),
    ]
    const states = async () => {
      const found = both.map(({ id }) =>
        api.ok(routes.getAgent, { params: { agent_id: id }, headers: admin }),
      )
      return (await Promise.all(found)).map(({ status }) => status)
    }

    await tab.open(`/console/admin/owners/${owner.id}`)
    await button(people.freeze).click()
    await act(people.freeze)
    await page.getByText(people.isFrozen(2)).waitFor()
    await tab.inEveryView('owner frozen')
    expect(await states()).toEqual(['frozen', 'frozen'])
    await button(people.unfreeze).click()
    await act(people.unfreeze)
    await page.getByText(people.isUnfrozen(2)).waitFor()
    await tab.inEveryView('owner unfrozen')
    await button(people.setTier).click()
    await (await tab.dialog()).getByRole('combobox').selectOption('tier2')
    await act(people.setTierAct(tiers.tier2))
    await page.getByText(people.tierIsSet('Asha Rao', tiers.tier2)).waitFor()
    await tab.inEveryView('tier set')

    await tab.open('/console/admin/tiers')
    await button(limits.changeOne(tiers.tier3)).click()
    const daily = view.size === 'phone' ? '9,00,000' : '8,00,000'
    await (await tab.dialog()).getByLabel(limits.limits.daily).fill(daily)
    await act(limits.act(0))
    await page.getByText(limits.done(tiers.tier3)).waitFor()
    await tab.inEveryView('tier limits changed')

    for (const [name, state] of [
      ['quarantine', 'quarantined'],
      ['restore', 'active'],
      ['freeze', 'frozen'],
    ] as const) {
      await tab.open(`/console/admin/agents?owner_id=${owner.id}`)
      await button(agents.selectPage).click()
      await page.getByText(agents.selected(2)).waitFor()
      await button(agents.acts[name]).click()
      await act(agents.acts[name])
      await page.getByText(agents.done(2, 0)).waitFor()
      await tab.inEveryView(`agents after ${name}`)
      expect(await states()).toEqual([state, state])
    }

    await tab.open(`/console/admin/risk/${alertId}`)
    const response = view.size === 'phone' ? 'quarantine' : 'dismiss'
    await button(risk[response]).click()
    await (await tab.dialog()).getByLabel(risk.note).fill('Seen by two of us')
    await act(risk[response])
    await page.getByText(risk.done[response]).waitFor()
    await tab.inEveryView('alert reviewed')
    await isFlawless(tab)
  },
)
