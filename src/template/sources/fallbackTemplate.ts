/** ChatML, for models that bring no template: every message with its role and text. It describes no tools and writes no calls. */
export const FALLBACK_TEMPLATE = `
{%- for message in messages -%}
  {{- '<|im_start|>' ~ message.role ~ '\\n' -}}
  {%- if message.content is string -%}
    {{- message.content -}}
  {%- elif message.content -%}
    {%- for part in message.content if part.type == 'text' -%}
      {{- part.text -}}
    {%- endfor -%}
  {%- endif -%}
  {{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|im_start|>assistant\\n' -}}
{%- endif -%}
`;
