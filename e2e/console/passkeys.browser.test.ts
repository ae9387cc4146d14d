import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, downloadProof, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage, statusOf } from '../src/console-stage.ts'
import { logIn } from '../src/log-in.ts'
import { addPasskey, type Device, openDevice } from '../src/passkey-device.ts'
import { pageOf } from '../src/passkeys.ts'
import { runScript } from '../src/scripts.ts'

let opened: ConsoleStage
let browser: Browser
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
  // Each test begins without passkeys, as no person of another test has one.
  await opened.stage.database.query(`delete from passkeys`)
  await opened.stage.database.query(`delete from audit_entries where action = 'passkey.enrolled'`)
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

/** A tab with a device that makes passkeys. */
async function tabWithDevice(
  view: View,
  session = opened.ownerSession as typeof opened.ownerSession | null,
): Promise<Device & { readonly tab: Tab }> {
  const tab = await openTab(browser, { ...view, address: pageOf(opened.stage.api), session })
  tabs.push(tab)
  return { tab, ...(await openDevice(tab)) }
}

test('an owner with a passkey pays with her finger, and not without it', async () => {
  const approvalId = await opened.ask(150)
  const { tab, page, verifyPerson } = await tabWithDevice(PHONE)
  await tab.open('/console/safety')
  await addPasskey(tab, 'My phone')
  await page.getByText('The passkey is added').waitFor()
  await tab.inEveryView('passkey added')
  await tab.open(`/console/inbox/${approvalId}`)
  await verifyPerson(false)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Pay ₹150.00' }).click()
  await page.getByRole('dialog').getByText('Your passkey did not confirm it').waitFor()
  await tab.inEveryView('passkey refused')
  expect(await statusOf(opened, approvalId)).toBe('pending_approval')
  await verifyPerson(true)
  await page.getByRole('button', { name: 'Pay ₹150.00' }).click()
  await page.getByText('Paid ₹150.00 to Translator').waitFor()
  const params = { approval_id: approvalId }
  const { evidence } = await opened.stage.api.ok(routes.getApproval, { params, headers: opened.ownerSession })
  expect(JSON.parse(evidence?.document ?? '')).toMatchObject({ amount: 150, allow: null })
  expect(tab.problems.filter(problem => !/status of 403/.test(problem))).toEqual([])
})

test('an allowance beside an approval is signed with it', async () => {
  const approvalId = await opened.ask(160)
  const { tab, page } = await tabWithDevice(DESK)
  await tab.open('/console/safety')
  await addPasskey(tab, 'My computer')
  await page.getByText('The passkey is added').waitFor()
  await tab.open(`/console/inbox/${approvalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox').check()
  await dialog.getByLabel('Up to').fill('300')
  await dialog.getByRole('button', { name: /Pay ₹160\.00/ }).click()
  await page.getByText('Paid ₹160.00 to Translator').waitFor()
  const params = { approval_id: approvalId }
  const { evidence } = await opened.stage.api.ok(routes.getApproval, { params, headers: opened.ownerSession })
  expect(JSON.parse(evidence?.document ?? '')).toMatchObject({ allow: { amount: 300 } })
})

test('the files that an owner downloads prove on another computer what her passkey confirmed', async () => {
  const { api } = opened.stage
  const folder = mkdtempSync(join(tmpdir(), 'batua-approval-'))
  try {
    // More than the allowance of the test before leaves.
    const approvalId = await opened.ask(310)
    const { tab, page } = await tabWithDevice(PHONE)
    await tab.open('/console/safety')
    await addPasskey(tab, 'Lost phone')
    await page.getByText('The passkey is added').waitFor()
    await tab.open(`/console/inbox/${approvalId}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Pay ₹310.00' }).click()
    await page.getByText('Your device signed exactly this request with “Lost phone”.').waitFor()
    await page.getByRole('button', { name: 'Download proof of the passkey' }).waitFor()
    await tab.inEveryView('approval confirmed by a passkey')
    // A passkey that was removed since proves the same.
    await tab.open('/console/safety')
    await page.getByRole('button', { name: 'Remove Lost phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkey yet').waitFor()
    await tab.open(`/console/inbox/${approvalId}`)
    const [approval] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download approval' }).click(),
    ])
    await approval.saveAs(join(folder, approval.suggestedFilename()))
    const proof = await downloadProof(
      page,
      page.getByRole('button', { name: 'Download proof of the passkey' }),
    )
    await proof.saveAs(join(folder, proof.suggestedFilename()))
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(await api.ok(routes.getServiceKeys)))
    await page.getByText('How to verify a proof').click()
    const command = await page.getByText(/^npm run --silent verify/).innerText()
    const args = command.split(' -- ')[1]?.split(' ') ?? []
    const ended = await runScript('verify.ts', args, { cwd: folder })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^genuine: /)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a raised limit asks for the passkey, a lower one does not', async () => {
  const { tab, page, verifyPerson } = await tabWithDevice(DESK)
  await tab.open('/console/safety')
  await addPasskey(tab, 'My computer')
  await page.getByText('The passkey is added').waitFor()
  await verifyPerson(false)
  await tab.open(`/console/agents/${opened.buyer.id}`)
  const change = async (amount: string) => {
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByLabel('Ask the owner above').fill(amount)
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await change('90')
  await page.getByText('The limits are changed').waitFor()
  await change('5000')
  await page.getByRole('dialog').getByText('Your passkey did not confirm it').waitFor()
  await verifyPerson(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { pending_policy } = await opened.stage.api.ok(routes.getAgent, {
    params: { agent_id: opened.buyer.id },
    headers: opened.ownerSession,
  })
  expect(pending_policy).toMatchObject({ require_human_approval_above: { value: 5_000 } })
})

test('an owner logs in with a passkey alone', async () => {
  const { tab, page } = await tabWithDevice(PHONE)
  await tab.open('/console/safety')
  await addPasskey(tab, 'My phone')
  await page.getByText('The passkey is added').waitFor()
  await tab.context.clearCookies()
  await tab.open('/console/login')
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
})

test('without a passkey at hand, one is added and removed after the waiting time, and that can be undone', async () => {
  const { tab, page, remove } = await tabWithDevice(DESK)
  await tab.open('/console/safety')
  await addPasskey(tab, 'Old phone')
  await page.getByText('The passkey is added').waitFor()
  await tab.inEveryView('administrator with a passkey')
  await page.getByRole('button', { name: 'Remove Old phone' }).click()
  await page.getByLabel('I have no passkey at hand').check()
  await tab.inEveryView('passkey removed without one')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText(/^Will be removed at/).waitFor()
  await tab.inEveryView('passkey removal that waits')
  await page.getByRole('button', { name: 'Keep Old phone' }).click()
  await page.getByRole('button', { name: 'Remove Old phone' }).waitFor()
  // A device holds one passkey for a person, so the new one is on another.
  await remove()
  const other = await tabWithDevice(DESK)
  await other.tab.open('/console/safety')
  await other.page.getByRole('button', { name: 'Add a passkey' }).click()
  await other.page.getByLabel('Name').fill('New phone')
  await other.page.getByLabel('I have no passkey at hand').check()
  await other.tab.inEveryView('passkey added without one')
  await other.page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await other.page.getByText(/^Can be used from/).waitFor()
  await other.tab.inEveryView('passkey that waits')
})

test('a page that was opened by an address says where passkeys work', async () => {
  const tab = await openTab(browser, { ...PHONE, address: opened.stage.service.address, session: null })
  tabs.push(tab)
  await tab.open('/console/login')
  await tab.page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await tab.page.getByText('Passkeys work only at the service’s own address').waitFor()
  await tab.inEveryView('passkeys elsewhere')
})

test('an administrator enrols a passkey', async () => {
  await opened.stage.api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  const session = await logIn(opened.stage.api, '9999999999', 'admin')
  const { tab, page } = await tabWithDevice(DESK, session)
  await tab.open('/console/admin/safety')
  await addPasskey(tab, 'Office key')
  await page.getByText('The passkey is added').waitFor()
  await page.getByRole('button', { name: 'Remove Office key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No passkey yet').waitFor()
})

test('an administrator’s passkey confirms a restore and a tier, and a freeze needs none', async () => {
  const { api } = opened.stage
  await api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  const session = await logIn(api, '9999999999', 'admin')
  const { tab, page, verifyPerson } = await tabWithDevice(DESK, session)
  await tab.open('/console/admin/safety')
  await addPasskey(tab, 'Office key')
  await page.getByText('The passkey is added').waitFor()
  await verifyPerson(false)
  const agentNow = () =>
    api.ok(routes.getAgent, { params: { agent_id: opened.seller.id }, headers: opened.ownerSession })
  await tab.open(`/console/admin/agents/${opened.seller.id}`)
  const act = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await (await tab.dialog()).getByRole('button', { name, exact: true }).click()
  }
  await act('Freeze')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await agentNow()).status).toBe('frozen')
  await act('Restore')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Your passkey did not confirm it').waitFor()
  expect((await agentNow()).status).toBe('frozen')
  await verifyPerson(true)
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await agentNow()).status).toBe('active')
  await tab.open(`/console/admin/owners/${opened.owner.id}`)
  await page.getByRole('button', { name: 'Change tier' }).click()
  await (await tab.dialog()).getByLabel('Tier').selectOption('tier2')
  await dialog.getByRole('button', { name: /^Set / }).click()
  await dialog.waitFor({ state: 'detached' })
  const owner = await api.ok(routes.getOwner, {
    params: { owner_id: opened.owner.id },
    headers: opened.ownerSession,
  })
  expect(owner.tier).toBe('tier2')
  await api.refused(routes.setOwnerTier, 403, 'passkey_required', {
    params: { owner_id: opened.owner.id },
    headers: session,
    body: { tier: 'tier3' },
  })
})
