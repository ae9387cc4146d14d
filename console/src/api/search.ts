import * as v from 'valibot'

/** Search parameters that several pages have. A wrong value is ignored, so that every address opens. */
export const offset = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))), undefined)

/** Of the page of one agent. */
export const statementSearch = v.object({
  type: v.fallback(v.optional(v.picklist(['pay_out', 'pay_in', 'fund', 'withdraw'])), undefined),
  offset,
})

export const agentsSearch = v.object({
  status: v.fallback(v.optional(v.picklist(['active', 'paused', 'deactivated'])), undefined),
  offset,
})
