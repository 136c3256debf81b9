"""Writes the model of a GGUF file as a Hugging Face folder, with the chat template of this folder.

python to-hugging-face.py GGUF DIRECTORY; needs the packages transformers, torch, gguf and accelerate.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

gguf, directory = Path(sys.argv[1]), Path(sys.argv[2])
source = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
if not (directory / "model.safetensors").exists():
    tokenizer = AutoTokenizer.from_pretrained(**source)
    tokenizer.chat_template = Path(__file__).with_name("chat-template.jinja").read_text()
    tokenizer.save_pretrained(directory)
    # A model that was read from GGUF refuses to be saved: its weights move into a new one.
    config = AutoConfig.from_pretrained(**source)
    model = AutoModelForCausalLM.from_config(config, torch_dtype=torch.bfloat16)
    model.load_state_dict(AutoModelForCausalLM.from_pretrained(**source).state_dict())
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(directory)
