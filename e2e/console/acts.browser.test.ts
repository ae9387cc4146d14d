import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentTexts } from '../../console/src/agents/agent-texts.ts'
import { certificatesTexts } from '../../console/src/agents/certificates/texts.ts'
import { keyTexts } from '../../console/src/agents/key-texts.ts'
import { allowanceTexts } from '../../console/src/agents/limits/allowance-texts.ts'
import { fundTexts } from '../../console/src/agents/money/fund-texts.ts'
import { payeesTexts } from '../../console/src/agents/payees/texts.ts'
import { agentsTexts } from '../../console/src/agents/texts.ts'
import { componentTexts } from '../../console/src/components/texts.ts'
import { invitationTexts } from '../../console/src/owner/inbox/invitation-texts.ts'
import { inboxTexts } from '../../console/src/owner/inbox/texts.ts'
import { organizationsTexts } from '../../console/src/owner/organizations/texts.ts'
import { safetyTexts } from '../../console/src/safety/texts.ts'
import { OPPOSITE_VIEWS, openBrowser, openTab, viewsOf } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage, statusOf } from '../src/console-stage.ts'
import { logIn } from '../src/log-in.ts'

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

test.each(viewsOf(OPPOSITE_VIEWS))(
  'an owner approves, declines, allows, limits, adds money, withdraws, pauses and stops everything on %s',
  { timeout: 600_000 },
  async (_name, view) => {
    const { stage, buyer, ownerSession: headers } = opened
    const { language } = view
    const inbox = inboxTexts[language]
    const agents = agentsTexts[language]
    const agent = agentTexts[language]
    const allowance = allowanceTexts[language]
    const fund = fundTexts[language]
    const safety = safetyTexts[language]
    const { undo } = componentTexts[language]
    const tab = await openTab(browser, { ...view, address: stage.service.address, session: headers })
    const { page } = tab
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const act = async (name: string) =>
      (await tab.dialog()).getByRole('button', { name, exact: true }).click()

    const approved = await opened.ask(110)
    await tab.open(`/console/inbox/${approved}`)
    await button(inbox.approve).click()
    await act(inbox.pay('₹110.00'))
    await page.getByText(inbox.paid('₹110.00', 'Translator')).waitFor()
    await tab.inEveryView('approved')
    const declined = await opened.ask(115)
    await tab.open(`/console/inbox/${declined}`)
    await button(inbox.decline).click()
    await act(inbox.decline)
    await page.getByText(inbox.declined).waitFor()
    await tab.inEveryView('declined')
    expect([await statusOf(opened, approved), await statusOf(opened, declined)]).toEqual([
      'approved',
      'rejected',
    ])

    await tab.open(`/console/agents/${buyer.id}`)
    await button(allowance.allow).click()
    await (await tab.dialog()).getByRole('textbox').first().fill(opened.seller.handle)
    await page.getByRole('dialog').getByLabel(allowance.amount).fill('300')
    await act(allowance.act('₹300.00'))
    await page.getByText(allowance.isAllowed).waitFor()
    await tab.inEveryView('allowance given')
    await button(allowance.endOne('Translator')).click()
    await act(allowance.end)
    await page.getByText(allowance.isEnded).waitFor()
    await tab.inEveryView('allowance ended')
    await button(agent.change).click()
    await (await tab.dialog())
      .getByLabel(agent.controls.spend_limit_daily)
      .fill(`${40_000 - Number(view.size === 'desk')}`)
    await act(agent.save)
    await page.getByText(agent.isChanged).waitFor()
    await tab.inEveryView('limits changed')
    await button(fund.fundOne('Research Agent')).click()
    await (await tab.dialog()).getByLabel(agent.amount).fill('50')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /₹50\.00/ })
      .click()
    await page.getByRole('dialog').getByRole('img').waitFor()
    await tab.inEveryView('UPI code')
    await page.keyboard.press('Escape')
    await button(agent.withdrawFrom('Research Agent')).click()
    await (await tab.dialog()).getByLabel(agent.amount).fill('5')
    await act(agent.withdrawAmount('₹5.00'))
    await page.getByText(agent.isWithdrawn('₹5.00')).waitFor()
    await tab.inEveryView('withdrawn')
    await button(agents.pause('Research Agent')).click()
    await page.getByText(agents.isPaused('Research Agent')).waitFor()
    await tab.inEveryView('paused')
    await button(undo).click()
    await page.getByText(agents.isResumed('Research Agent')).waitFor()

    await tab.open('/console/safety')
    await button(safety.stopAll).click()
    await act(safety.stopAll)
    await page.getByText(safety.areStopped(2)).waitFor()
    await tab.inEveryView('all stopped')
    expect(await tab.isWide()).toBe(false)
    expect(tab.problems).toEqual([])
    for (const { agent_id } of (await stage.api.ok(routes.listAgents, { headers })).agents)
      await stage.api.ok(routes.resumeAgent, { params: { agent_id }, headers })
    await tab.close()
  },
)

test.each(viewsOf(OPPOSITE_VIEWS))(
  'an owner accepts an invitation, blocks a payee, makes a certificate, a key and an organization, and ends sessions on %s',
  { timeout: 600_000 },
  async (_name, view) => {
    const { stage, owner, seller, ownerSession: headers } = opened
    const { language } = view
    const [invitation, payees] = [invitationTexts[language], payeesTexts[language]]
    const [certificates, key] = [certificatesTexts[language], keyTexts[language]]
    const [organizations, safety] = [organizationsTexts[language], safetyTexts[language]]
    const { stored } = componentTexts[language]
    const platform = `Known Travel ${language}`
    await stage.network.owner(await stage.network.platform({ name: platform }), owner.phone)
    const agent = await stage.network.agent(owner, { name: `Dispatcher ${language}` })
    const tab = await openTab(browser, { ...view, address: stage.service.address, session: headers })
    const { page } = tab
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const act = async (name: string) =>
      (await tab.dialog()).getByRole('button', { name, exact: true }).click()

    await tab.open('/console/inbox')
    await button(invitation.accept).click()
    await act(invitation.accept)
    await page.getByText(invitation.isAccepted(platform)).waitFor()
    await tab.inEveryView('invitation accepted')
    await tab.open(`/console/agents/${agent.id}?section=payees`)
    await button(payees.block).click()
    await (await tab.dialog()).getByRole('textbox').fill(seller.handle)
    await page.keyboard.press('Enter')
    await act(payees.blockOne('Translator'))
    await button(payees.unblockOne('Translator')).waitFor()
    await tab.inEveryView('payee blocked')
    await tab.open(`/console/agents/${agent.id}?section=certificates`)
    await button(certificates.issue).click()
    await act(certificates.issue)
    await page.getByText(certificates.isIssued).waitFor()
    await tab.inEveryView('certificate issued')
    await tab.open(`/console/agents/${agent.id}?section=key`)
    await button(key.rotate).click()
    await act(key.act)
    await page.getByText(/^agk_live_/).waitFor()
    await tab.inEveryView('key shown once')
    await button(stored).click()
    await tab.open('/console/organizations')
    await button(organizations.create).first().click()
    await (await tab.dialog()).getByRole('textbox').first().fill(`Office ${language}`)
    const ofPlatform = page.getByRole('dialog').getByLabel(organizations.platform)
    if ((await ofPlatform.count()) > 0) await ofPlatform.selectOption(owner.id)
    await act(organizations.create)
    await page.getByText(organizations.isCreated(`Office ${language}`)).waitFor()
    await tab.inEveryView('organization created')
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
    await logIn(stage.api, owner.phone, 'owner')
    await tab.open('/console/safety')
    await button(safety.endOthers).click()
    await act(safety.endOthers)
    await page.getByText(safety.othersEnded(1)).waitFor()
    await tab.inEveryView('sessions ended')
    const blocked = await stage.api.ok(routes.getAgent, { params: { agent_id: agent.id }, headers })
    expect(blocked.policy.blocked_payee_agents).toEqual([seller.id])
    expect(await tab.isWide()).toBe(false)
    expect(tab.problems).toEqual([])
    await tab.close()
  },
)
