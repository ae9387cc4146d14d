import { expect, test } from 'vitest'
import { paise } from '../../../kernel/money.ts'
import { formatCountdown, formatInr, formatTime } from './format.ts'
import { html } from './html.ts'

test('text in a page is always escaped', () => {
  const name = `<script>alert("1")</script> & 'co'`
  expect(html`<p title="${name}">${name}${html`<b>${1}</b>`}${null}</p>`.markup).toBe(
    `<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;">` +
      `&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;<b>1</b></p>`,
  )
})

test.each([
  [100n, '₹1.00'],
  [99_999n, '₹999.99'],
  [100_000n, '₹1,000.00'],
  [1_234_567n, '₹12,345.67'],
  [10_000_000n, '₹1,00,000.00'],
  [1_000_000_000_000n, '₹10,00,00,00,000.00'],
])('%s paise are written %s', (amount, text) => {
  expect(formatInr(paise(amount))).toBe(text)
})

test('times are shown in Indian time', () => {
  expect(formatTime(new Date('2026-11-20T10:15:00Z'))).toMatch(/^3:45\s?pm IST$/i)
  expect(formatCountdown(29 * 60_000 + 40_001)).toBe('29:41')
  expect(formatCountdown(-5)).toBe('0:00')
})
