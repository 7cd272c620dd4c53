tsrun --format=html report_pipeline.tsir | sed '/^<style>$/,/<\/style>$/d; /^<meta http-equiv/d; /^<script>/,/<\/script>$/d'
