plan p {
  model =   gpt(layers: 1
  mesh = { tp }
}
